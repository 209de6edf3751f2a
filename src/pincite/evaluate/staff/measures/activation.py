from collections.abc import Sequence

from pincite.evaluate.staff.outcome import Asked, Reading


def activation(asked: Sequence[Asked]) -> list[Reading]:
    """Concepts of the questions whose declared profile opened; of the routes so opened, those whose passage was delivered."""
    every = [each for one in asked for each in one.activations]
    opened = [(one, route) for one in asked for each in one.activations for route in each.routes]
    reached = [(one, route) for one, route in opened if any(p["kind"] == "declared" and p["route"] == route for p in one.paths)]
    closed = sorted({f"{each.concept}: {reason}" for each in every for reason in each.reasons})
    return [
        Reading(
            "profile activation", sum(each.active for each in every), len(every), "concepts with a profile", "; ".join(closed)
        ),
        Reading("declared routes delivered", len(reached), len(opened), "open routes"),
    ]
