"""What the Acts are called where no text says it: "the Act" of a chapter, and short names that everybody knows.

What a document defines always comes first. A name taken from here says so in the reason of its reference.
"""

from __future__ import annotations

from collections.abc import Mapping

USAGE: Mapping[str, tuple[tuple[range, str], ...]] = {
    "7": (
        (range(271, 286), "Food and Nutrition Act of 2008"),
        (range(900, 1000), "Agricultural Marketing Agreement Act of 1937"),
    ),
    "8": ((range(1, 400), "Immigration and Nationality Act"), (range(1001, 1300), "Immigration and Nationality Act")),
    "10": ((range(1, 172), "Atomic Energy Act of 1954"),),
    "17": (
        (range(1, 200), "Commodity Exchange Act"),
        (range(230, 231), "Securities Act of 1933"),
        (range(240, 241), "Securities Exchange Act of 1934"),
        (range(270, 271), "Investment Company Act of 1940"),
        (range(275, 276), "Investment Advisers Act of 1940"),
    ),
    "20": ((range(404, 405), "Social Security Act"), (range(416, 417), "Social Security Act")),
    "21": ((range(1, 1300), "Federal Food, Drug, and Cosmetic Act"),),
    "29": ((range(1900, 2000), "Occupational Safety and Health Act of 1970"),),
    "30": ((range(700, 956), "Surface Mining Control and Reclamation Act of 1977"),),
    "40": ((range(50, 98), "Clean Air Act"),),
    "42": ((range(400, 700), "Social Security Act"),),
    "47": ((range(1, 200), "Communications Act of 1934"),),
}
"""What "the act" means in parts whose general definitions say so for all of them: title -> (parts, the Act)."""

KNOWN: Mapping[str, str] = {
    "ada": "Americans with Disabilities Act of 1990",
    "bhc act": "Bank Holding Company Act of 1956",
    "caa": "Clean Air Act",
    "cercla": "Comprehensive Environmental Response, Compensation, and Liability Act of 1980",
    "cpsa": "Consumer Product Safety Act",
    "cwa": "Clean Water Act",
    "ecoa": "Equal Credit Opportunity Act",
    "efta": "Electronic Fund Transfer Act",
    "epcra": "Emergency Planning and Community Right-To-Know Act of 1986",
    "erisa": "Employee Retirement Income Security Act of 1974",
    "fd&c act": "Federal Food, Drug, and Cosmetic Act",
    "fcra": "Fair Credit Reporting Act",
    "fdca": "Federal Food, Drug, and Cosmetic Act",
    "ffdca": "Federal Food, Drug, and Cosmetic Act",
    "fdi act": "Federal Deposit Insurance Act",
    "fdia": "Federal Deposit Insurance Act",
    "fhsa": "Federal Hazardous Substances Act",
    "fifra": "Federal Insecticide, Fungicide, and Rodenticide Act",
    "flpma": "Federal Land Policy and Management Act of 1976",
    "flsa": "Fair Labor Standards Act of 1938",
    "fmla": "Family and Medical Leave Act of 1993",
    "foia": "Freedom of Information Act",
    "hipaa": "Health Insurance Portability and Accountability Act of 1996",
    "hola": "Home Owners' Loan Act",
    "ina": "Immigration and Nationality Act",
    "irc": "Internal Revenue Code",
    "nahasda": "Native American Housing Assistance and Self-Determination Act of 1996",
    "nepa": "National Environmental Policy Act of 1969",
    "nhpa": "National Historic Preservation Act",
    "phs act": "Public Health Service Act",
    "rcra": "Resource Conservation and Recovery Act",
    "respa": "Real Estate Settlement Procedures Act of 1974",
    "sdwa": "Safe Drinking Water Act",
    "smcra": "Surface Mining Control and Reclamation Act of 1977",
    "tila": "Truth in Lending Act",
    "tsca": "Toxic Substances Control Act",
}
"""Short names of one Act each, in lower case, that texts use without saying what they stand for."""
