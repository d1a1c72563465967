"""Plays environments of others with scripted players, by their own code, and prints what was said and earned as JSON.

    python play.py FOLDER SEED EPISODES

FOLDER has their files as they stand in their repositories: verifiers/environments/kuhn_poker/kuhn_poker/taskset.py (at a60a606)
and tinker-cookbook/tinker_cookbook/recipes/multiplayer_rl/guess_number/env.py (at 9dfcc3a). What these import for models, tokenizers and
servers is stood in for: rules, conversation and rewards are theirs.
"""

import asyncio
import importlib.util
import json
import random
import sys
import types
from pathlib import Path


class Anything:
    """A base class, generic, and whatever else is asked of a name that the rules do not use."""

    def __init__(self, *args, **given):
        self.__dict__.update(given)

    def __class_getitem__(cls, _):
        return cls


def stand_in(name, **has):
    module = types.ModuleType(name)
    module.__path__ = []
    module.__getattr__ = lambda asked: type(asked, (Anything,), {})
    for key, value in has.items():
        setattr(module, key, value)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


class Interaction:
    """A seat whose replies a script writes: what theirs asks of it."""

    def __init__(self, script):
        self.script, self.said, self.rewards, self.metrics, self.info = script, [], {}, {}, {}
        self.trace = self

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return None

    async def turn(self, _):
        self.said.append(self.script())
        return types.SimpleNamespace(terminated=False, last_reply=self.said[-1])

    def record_reward(self, name, value):
        self.rewards[name] = value

    def record_metric(self, name, value):
        self.metrics[name] = value


def kuhn_poker(folder, rng, episodes):
    stand_in("pydantic", Field=lambda default, **_: default)
    stand_in("verifiers")
    stand_in("verifiers.v1")
    theirs = load(folder / "verifiers/environments/kuhn_poker/kuhn_poker/taskset.py")
    moves = ["[check]", "[bet]", "[fold]", "[call]"]
    odd = ["", "bet", "[raise]", "[ bet ]", "[[call]]", "[check] or [bet]", "[bet] [bet]", "[fold] [check]", "[Bet], not [Fold]",
           "I say [CALL].", "[a]\n[check]"]  # fmt: skip

    def script():
        return rng.choice(moves) if rng.random() < 0.75 else rng.choice(odd)

    async def hand(seed):
        seats = [Interaction(script), Interaction(script)]
        env = theirs.KuhnPokerEnv()
        env.config = theirs.KuhnPokerEnvConfig
        agents = types.SimpleNamespace(
            player0=types.SimpleNamespace(interaction=lambda _: seats[0]),
            player1=types.SimpleNamespace(interaction=lambda _: seats[1]),
        )
        await env.run(types.SimpleNamespace(data=types.SimpleNamespace(info={"seed": seed}, idx=seed)), agents)
        return {
            "cards": [seat.info["kuhn"]["card"] for seat in seats],
            "texts": [seat.said for seat in seats],
            "rewards": [seat.rewards["payoff"] for seat in seats],
            "forfeits": [seat.metrics["forfeit"] for seat in seats],
        }

    return [asyncio.run(hand(rng.randrange(10**6))) for _ in range(episodes)]


def guess_number(folder, rng, episodes):
    for name in ["chz", "tinker", "tinker_cookbook", "tinker_cookbook.completers", "tinker_cookbook.rl"]:
        stand_in(name)
    sys.modules["chz"].chz = lambda cls: cls
    stand_in("tinker_cookbook.rl.types", StepResult=types.SimpleNamespace)
    stand_in("tinker_cookbook.tokenizer_utils")
    stand_in(
        "tinker_cookbook.renderers",
        Message=dict,
        ensure_text=str,
        get_text_content=lambda message: message["content"],
    )
    theirs = load(folder / "tinker-cookbook/tinker_cookbook/recipes/multiplayer_rl/guess_number/env.py")
    renderer = types.SimpleNamespace(
        get_stop_sequences=lambda: [],
        build_generation_prompt=lambda chat: chat,
        parse_response=lambda action: ({"content": action}, True),
    )
    odd = ["", "{n}", "guess: {n}", "Guess:{n}", "Guess: {n}.0", "Guess: five", "Guess: ", "\nGuess: {n}", "Guess: {n} or more",
           "Guess:  {n} ", "Guess: +{n}", "Guess: 0{n}", "Guess: 1_0{n}", "Guess: 1__{n}", "Guess: -{n}", "Guess: {n}\nGuess: 3",
           "Guess: - {n}", "Guess: 0x1F", "Guess: 1e3"]  # fmt: skip

    async def game(gold):
        env = theirs.GuessNumberEnv(gold, renderer)
        texts, rewards, low, high = [], [], 0, 1023
        done = False
        while not done:
            halfway = (low + high) // 2
            number = halfway if rng.random() < 0.9 else rng.randrange(1200)
            texts.append(f"Guess: {number}" if rng.random() < 0.85 else rng.choice(odd).replace("{n}", str(number)))
            result = await env.step(texts[-1])
            rewards.append(result.reward)
            done = result.episode_done
            if result.reward == 0:
                low, high = (max(low, number + 1), high) if number < gold else (low, max(low, min(high, number - 1)))
        return {"gold": gold, "texts": texts, "rewards": rewards}

    return [asyncio.run(game(rng.randrange(1024))) for _ in range(episodes)]


if __name__ == "__main__":
    path, seed, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    played = {
        "kuhn-poker": kuhn_poker(path, random.Random(f"kuhn-poker {seed}"), count),
        "guess-number": guess_number(path, random.Random(f"guess-number {seed}"), count),
    }
    print(json.dumps(played, separators=(",", ":")))
