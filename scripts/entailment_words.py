"""What the made rules are about: fillers for the slots of the grammar, each a list of wordings that say the same."""

from __future__ import annotations

from collections.abc import Sequence

ROLES = [
    *(["employee", "member of staff", "worker"], ["customer", "client"], ["landlord", "lessor"], ["tenant", "lessee"]),
    *(["doctor", "physician"], ["lawyer", "attorney"], ["buyer", "purchaser"], ["seller", "vendor"], ["teacher", "instructor"]),
    *(["manager", "head of department"], ["auditor"], ["inspector"], ["operator"], ["supervisor"], ["contractor"], ["insurer"]),
    *(["policyholder", "insured person"], ["officer"], ["registrar"], ["treasurer"], ["chairperson"], ["director"], ["nurse"]),
    *(
        ["patient"],
        ["pharmacist"],
        ["applicant"],
        ["licensee", "licence holder"],
        ["master"],
        ["pilot"],
        ["carrier", "haulier"],
    ),
    *(
        ["borrower"],
        ["lender"],
        ["trustee"],
        ["member"],
        ["committee"],
        ["secretary"],
        ["caretaker"],
        ["engineer"],
        ["analyst"],
    ),
    *(["parent"], ["pupil", "student"], ["head teacher", "principal"], ["exporter"], ["importer"], ["keeper"], ["guard"]),
    *(
        ["agency"],
        ["council", "local authority"],
        ["bank"],
        ["court"],
        ["police"],
        ["warden"],
        ["clerk"],
        ["supplier"],
        ["driver"],
    ),
]
PAPERS = [
    *(["report"], ["certificate"], ["notice"], ["register"], ["contract", "agreement"], ["invoice", "bill"], ["plan"]),
    *(["application", "request"], ["record"], ["licence", "permit"], ["receipt"], ["minutes"], ["budget"], ["claim form"]),
    *(
        ["risk assessment"],
        ["logbook"],
        ["drawing"],
        ["prescription"],
        ["policy"],
        ["questionnaire"],
        ["inventory"],
        ["timetable"],
    ),
    *(
        ["statement of account"],
        ["consent form"],
        ["map"],
        ["declaration"],
        ["proposal"],
        ["testament", "will"],
        ["ballot paper"],
    ),
]
THINGS = [
    *(
        ["pump"],
        ["valve"],
        ["boiler"],
        ["gate"],
        ["vehicle"],
        ["alarm"],
        ["lift", "elevator"],
        ["tank"],
        ["ladder"],
        ["filter"],
    ),
    *(["fire extinguisher"], ["server"], ["freezer"], ["crane"], ["window"], ["meter"], ["scale", "balance"], ["fence"]),
    *(
        ["sensor"],
        ["generator"],
        ["cable"],
        ["lock"],
        ["sample", "specimen"],
        ["container"],
        ["parcel", "package"],
        ["machine"],
    ),
    *(
        ["playground"],
        ["life jacket"],
        ["radio"],
        ["battery"],
        ["oven"],
        ["signal"],
        ["scaffold"],
        ["vessel", "ship"],
        ["warehouse"],
    ),
]
Verb = Sequence[tuple[str, str, str]]
ON_PAPERS: list[Verb] = [
    [("keep", "kept", "keeping"), ("retain", "retained", "retaining"), ("preserve", "preserved", "preserving")],
    [("sign", "signed", "signing"), ("put a signature to", "signed", "putting a signature to")],
    [("check", "checked", "checking"), ("verify", "verified", "verifying"), ("review", "reviewed", "reviewing")],
    [("correct", "corrected", "correcting"), ("amend", "amended", "amending"), ("put right", "put right", "putting right")],
    [("publish", "published", "publishing"), ("make public", "made public", "making public")],
    [("destroy", "destroyed", "destroying"), ("shred", "shredded", "shredding")],
    [
        ("approve", "approved", "approving"),
        ("agree to", "agreed to", "agreeing to"),
        ("give approval to", "approved", "approving"),
    ],
    [("reject", "rejected", "rejecting"), ("refuse", "refused", "refusing"), ("turn down", "turned down", "turning down")],
    [("draw up", "drawn up", "drawing up"), ("prepare", "prepared", "preparing"), ("write", "written", "writing")],
    [("copy", "copied", "copying"), ("duplicate", "duplicated", "duplicating")],
    [("translate", "translated", "translating")],
    [("withdraw", "withdrawn", "withdrawing"), ("take back", "taken back", "taking back")],
]
ON_THINGS: list[Verb] = [
    [
        ("inspect", "inspected", "inspecting"),
        ("examine", "examined", "examining"),
        ("look over", "looked over", "looking over"),
    ],
    [("repair", "repaired", "repairing"), ("mend", "mended", "mending"), ("fix", "fixed", "fixing")],
    [("clean", "cleaned", "cleaning"), ("wash", "washed", "washing")],
    [("replace", "replaced", "replacing"), ("exchange", "exchanged", "exchanging"), ("renew", "renewed", "renewing")],
    [("switch off", "switched off", "switching off"), ("shut down", "shut down", "shutting down")],
    [("start", "started", "starting"), ("put into operation", "put into operation", "putting into operation")],
    [("label", "labelled", "labelling"), ("mark", "marked", "marking")],
    [("move", "moved", "moving"), ("relocate", "relocated", "relocating"), ("shift", "shifted", "shifting")],
    [("sell", "sold", "selling"), ("dispose of by sale", "sold", "selling")],
    [("install", "installed", "installing"), ("fit", "fitted", "fitting")],
    [("calibrate", "calibrated", "calibrating")],
    [("open", "opened", "opening")],
    [("use", "used", "using"), ("make use of", "made use of", "making use of")],
    [("weigh", "weighed", "weighing")],
]
ON_PEOPLE: list[Verb] = [
    [("inform", "informed", "informing"), ("tell", "told", "telling"), ("notify", "notified", "notifying")],
    [("train", "trained", "training"), ("give training to", "trained", "training")],
    [("interview", "interviewed", "interviewing"), ("hear", "heard", "hearing")],
    [("compensate", "compensated", "compensating"), ("indemnify", "indemnified", "indemnifying")],
    [("escort", "escorted", "escorting"), ("accompany", "accompanied", "accompanying")],
    [("supervise", "supervised", "supervising"), ("oversee", "overseen", "overseeing")],
    [("warn", "warned", "warning"), ("give a warning to", "warned", "warning")],
    [("consult", "consulted", "consulting"), ("seek advice from", "consulted", "seeking advice from")],
    [("pay", "paid", "paying")],
    [("dismiss", "dismissed", "dismissing"), ("lay off", "laid off", "laying off")],
    [("assist", "assisted", "assisting"), ("help", "helped", "helping")],
]
GIVING: list[Verb] = [
    [("send", "sent", "sending"), ("forward", "forwarded", "forwarding"), ("dispatch", "dispatched", "dispatching")],
    [("show", "shown", "showing"), ("present", "presented", "presenting")],
    [("hand over", "handed over", "handing over"), ("deliver", "delivered", "delivering")],
    [("lend", "lent", "lending")],
    [("return", "returned", "returning"), ("give back", "given back", "giving back")],
    [("explain", "explained", "explaining")],
]
STATES = [  # a condition, its denial, and both as nouns
    ("the {p} has expired", "the {p} has not expired", "expiry of the {p}"),
    ("the {t} has failed", "the {t} has not failed", "failure of the {t}"),
    ("the {r} has agreed", "the {r} has not agreed", "the agreement of the {r}"),
    ("the {r} has given written consent", "the {r} has not given written consent", "the written consent of the {r}"),
    ("the {r} is absent", "the {r} is present", "the absence of the {r}"),
    ("the {t} is damaged", "the {t} is undamaged", "damage to the {t}"),
    ("the {r} has complained", "the {r} has not complained", "a complaint by the {r}"),
    ("the {p} contains errors", "the {p} contains no errors", "errors in the {p}"),
    ("a court has ordered it", "no court has ordered it", "a court order"),
    ("the {r} objects", "the {r} does not object", "an objection by the {r}"),
    ("the {p} has been lost", "the {p} has not been lost", "loss of the {p}"),
    ("the {t} is empty", "the {t} is full", "the {t} being empty"),
    ("the {r} is under 18", "the {r} is 18 or over", "the {r} being a minor"),
    ("there is danger to life", "there is no danger to life", "danger to life"),
    ("the {r} has been paid", "the {r} has not been paid", "payment of the {r}"),
]
EVENTS = [  # as a noun, and as a clause
    ("receipt of the {p}", "the {p} is received"),
    ("the inspection", "the inspection takes place"),
    ("the accident", "the accident happens"),
    ("the end of the tax year", "the tax year ends"),
    ("delivery of the {t}", "the {t} is delivered"),
    ("the start of work", "work starts"),
    ("signature of the {p}", "the {p} is signed"),
    ("the departure of the {r}", "the {r} leaves"),
    ("the hearing", "the hearing is held"),
    ("the appointment of the {r}", "the {r} is appointed"),
    ("installation of the {t}", "the {t} is installed"),
    ("publication of the {p}", "the {p} is published"),
]
MANNERS = [
    ["in writing"],
    ["orally", "by word of mouth"],
    ["free of charge", "at no cost"],
    ["without delay", "promptly"],
    ["by registered post", "by registered mail"],
    ["in the presence of a witness", "with a witness present"],
    ["at the applicant's expense"],
    ["electronically", "by electronic means"],
    ["in person"],
    ["on site"],
]
OFTEN = [
    ["daily", "every day", "once a day", "each day"],
    ["weekly", "every week", "once a week"],
    ["monthly", "every month", "once a month", "twelve times a year"],
    ["quarterly", "every three months", "four times a year"],
    ["yearly", "annually", "once a year", "every twelve months"],
    ["every two years", "biennially", "every second year"],
    ["twice a year", "every six months"],
]
SPANS = [
    *(["24 hours", "one day", "a day"], ["48 hours", "two days"], ["7 days", "a week", "one week"], ["14 days", "two weeks"]),
    *(["12 months", "one year", "a year"], ["6 months", "half a year", "six months"], ["18 months", "a year and a half"]),
    *(
        ["24 months", "two years"],
        ["36 months", "three years"],
        ["60 minutes", "an hour"],
        ["90 minutes", "an hour and a half"],
    ),
    *(
        ["30 days", "thirty days"],
        ["10 days", "ten days"],
        ["5 years", "five years"],
        ["3 months", "three months", "a quarter"],
    ),
    *(
        ["4 hours", "four hours"],
        ["20 minutes", "twenty minutes"],
        ["45 days"],
        ["28 days", "four weeks"],
        ["10 years", "a decade"],
    ),
]
SUMS = [
    f"{sign}{value}" for sign in ("£", "$", "€") for value in ("50", "250", "1,000", "2,500", "10,000", "75,000", "1 million")
]
MODES = ("must", "must not", "may", "need not", "should")
