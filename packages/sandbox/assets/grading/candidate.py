# Runs a candidate on recorded arguments and says what it returned. It knows no expected value: whatever the candidate does
# in here, it can only change its own answers.
import json
import os
import sys


def answer_calls():
    job = json.loads(sys.stdin.read())
    write, leave, dumps = os.write, os._exit, json.dumps
    say = lambda value: write(1, ("\n" + dumps(value) + "\n").encode())

    def raised(error):
        """What the tests may know of an error; a limit of the sandbox ends the run."""
        code = exit_code_of(error)
        if code == 1:
            return describe(error)
        try:
            write(2, ": ".join(describe(error)).encode())
        finally:
            leave(code)

    space = {"__name__": "candidate"}
    try:
        exec(compile(job["program"], "<candidate>", "exec"), space)
        function = space[job["entryPoint"]]
    except BaseException as error:
        say({"unloadable": raised(error)})
        leave(0)
    answers = []
    for arguments, named in job["calls"]:
        try:
            value = function(*[decode(each) for each in arguments], **{name: decode(each) for name, each in named})
            answers.append({"value": encode(value)})
        except Uncrossable as error:
            answers.append({"uncrossable": str(error)})
        except BaseException as error:
            answers.append({"raised": raised(error)})
    say({"answers": answers})
    leave(0)


def describe(error):
    return [type(error).__name__, str(error)[:300]]
