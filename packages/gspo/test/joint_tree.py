"""MAGRPO's returns and advantages from the definition: every path to a leaf, weighted, discounted. Reads trees, prints credits."""
import json
import sys
from itertools import product


def paths(node):
    """Each path below a node as (weight, [rewards]): at every node its actions are equally likely."""
    actions = node["actions"]
    for action in actions:
        rest = list(paths(action["next"])) if action.get("next") else [(1.0, [])]
        for weight, rewards in rest:
            yield weight / len(actions), [action["reward"], *rewards]


def expected(action, gamma):
    rest = list(paths(action["next"])) if action.get("next") else [(1.0, [])]
    return sum(weight * (action["reward"] + sum(gamma ** (t + 1) * r for t, r in enumerate(rewards))) for weight, rewards in rest)


def credits(node, gamma, path=()):
    returns = [expected(action, gamma) for action in node["actions"]]
    baseline = sum(returns) / len(returns)
    agents = len(node["actions"][0]["replies"])
    replies = {reply for action in node["actions"] for reply in action["replies"]}
    for agent, reply in product(range(agents), sorted(replies)):
        own = [r for action, r in zip(node["actions"], returns) if action["replies"][agent] == reply]
        if own:
            value = sum(own) / len(own)
            yield {"path": list(path), "agent": agent, "reply": reply, "return": value, "advantage": value - baseline}
    for position, action in enumerate(node["actions"]):
        if action.get("next"):
            yield from credits(action["next"], gamma, (*path, position))


print(json.dumps([list(credits(each["tree"], each["gamma"])) for each in json.load(sys.stdin)]))
