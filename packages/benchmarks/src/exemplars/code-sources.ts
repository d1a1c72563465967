import type { KnownFile } from "../data/benchmark.ts";
import { between, fileOf, joinedAt, none, stringsIn, type ExemplarSource } from "./source.ts";

const dylan = (path: string, bytes: number, sha256: string): KnownFile =>
  fileOf("DyLAN", `code/HumanEval/${path}`, bytes, sha256);
const prune = (path: string, bytes: number, sha256: string): KnownFile =>
  fileOf("AgentPrune", `AgentPrune/${path}`, bytes, sha256);

const files = {
  dylan: dylan("prompt_lib.py", 31_977, "577bf307e554e83a6f4f293c52bf1ffd31a6e8516c1749a9516fcf4fb2c67670"),
  dylanTools: dylan("utils.py", 13_327, "ef63315dd85d03b74b2279e45f72915047d92f4c310cdd7b2f887a6ad1a8e8fa"),
  prune: prune(
    "prompt/humaneval_prompt_set.py",
    13_999,
    "cbb991bb1f15175ba4e17cbaeb3b83afc6a6d88781d2028272291d1039bcebd9",
  ),
  pruneAgent: prune("agents/code_writing.py", 5075, "cfc1d77fa8017563d099e3c6b288d3bdc0b4793b02daccea5f8758b45defed38"),
  pruneDecision: prune(
    "agents/final_decision.py",
    9522,
    "a0a3963af2d7c4ccb55c247e5e3077053bb93f7bc883f5a48d0cd78df79d6aaa",
  ),
  pruneTools: prune(
    "tools/coding/python_executor.py",
    2794,
    "d5104ae82ea97133b9b68c87c25229692faba026bd78e7c6abdc9d5130433287",
  ),
} as const;

/** A writer's words in the first layer, and in later ones: the released code has them in two tables. */
const writer = (role: string): Record<string, RegExp> => ({
  [`first ${role}`]: new RegExp(String.raw`^ROLE_MAP_INIT = \{[\s\S]*?"${role}": "(.*)"`, "mu"),
  [role]: new RegExp(String.raw`^ROLE_MAP = \{[\s\S]*?"${role}": "(.*)"`, "mu"),
});

/** Of teams that write functions: DyLAN and AgentPrune on HumanEval. */
export const codeSources: readonly ExemplarSource[] = [
  {
    name: "dylan-code",
    title: "DyLAN, HumanEval",
    licence: "MIT",
    texts: {
      ...stringsIn(files.dylan, {
        ...writer("PythonAssistant"),
        ...writer("AlgorithmDeveloper"),
        ...writer("ComputerScientist"),
        ...writer("Programmer"),
        tester: /^ *"Tester": f"""([\s\S]*?)"""/mu,
        "tester example": between(String.raw`^EXAMPLE_TESTER = """`),
        reflector: /^ *"Reflector": f"(.*)"/mu,
        "reflector example": between(String.raw`^EXAMPLE_REFLECTOR = """`),
        "judge-ranker": /^ *"Ranker": "(.*)"/mu,
        ...Object.fromEntries(
          ["Passer", "Tester", "Reflector"].flatMap((judge) => [
            [`remark ${judge}`, new RegExp(String.raw`^JUDGE_PREFIX = \{[\s\S]*?"${judge}": "(.*)"`, "mu")],
            [`named ${judge}`, new RegExp(String.raw`^JUDGE_NAMES = \{[\s\S]*?"${judge}": "(.*)"`, "mu")],
          ]),
        ),
        fence: /qtemplate = "(.*?)"/u,
        write: /qtemplate = '''([\s\S]*?)'''/u,
        previous: /prefix_string \+= "(\[previous impl .*?)"\.format/u,
        rewrite: /prefix_string \+ "(You must complete .*?)"\.format/u,
        test: /prefix_string = "(function signature:.*?)"\.format/u,
        programs: /prefix_string = "(Here are previous implementations.*?)"/u,
        program: /response = "(\[previous impl .*?)"\.format/u,
        reflect: /prefix_string \+ "(Write your reflection.*?)"\.format/u,
        "ranked programs": /prefix_string = "(Here are some implementations of the same function\. .*?)"/u,
        ranked: /response = "(\[function impl .*?)"\.format/u,
        rank: /prefix_string \+ "(\[function signature\].*?)"\.format/u,
        "chosen programs": /prefix_string = "(Here are some implementations of the same function and .*?)"/u,
        choose: /prefix_string \+ """(\[function signature\][\s\S]*?)"""\.format/u,
      }),
      ...stringsIn(files.dylanTools, {
        runs: /attitude\[res_code\] = "(The code doesn.*?)"/u,
        "does not run": /attitude\[res_code\] = "(The code has.*?)" \+/u,
        failed: /result\.append\(f"(failed: .*?)"\)/u,
        "timed out": /result\.append\("(timed out)"\)/u,
        "no output": /return "(TIMEOUT)"/u,
        passed: /attitude\[res_code\] \+= "(Passed tests:.*?)"/u,
        "passed not": /attitude\[res_code\] \+= "(Failed tests:.*?)"/u,
        output: /failed_tests\.append\(test \+ "(.*?)" \+ output/u,
        "no reflection": /reflections = \["(No reflection)"\]/u,
      }),
    },
    examples: 0,
  },
  {
    name: "agentprune-code",
    title: "AgentPrune, HumanEval",
    licence: none,
    texts: {
      ...Object.fromEntries(
        ["Project Manager", "Algorithm Designer", "Programming Expert", "Test Analyst", "Bug Fixer"].map((role) => [
          role,
          joinedAt(files.prune, role),
        ]),
      ),
      "decision constraint": {
        file: files.prune,
        pattern: /def get_decision_constraint\(\):\s*return \(\n([\s\S]*?")\n\)/u,
        escaped: "joined",
      },
      ...stringsIn(files.prune, { "decision role": /def get_decision_role\(\):\s*return "(.*?)"/u }),
      ...stringsIn(files.pruneAgent, {
        ask: /user_prompt = f"(.*?)"/u,
        program: /spatial_str \+= f"(.*?The code written .*?)"/u,
        reply: /spatial_str \+= f"(.*? provides .*?)"/u,
        "earlier program": /temporal_str \+= f"(.*?The code written .*?)"/u,
        "earlier reply": /temporal_str \+= f"(.*? provides .*?)"/u,
        now: /user_prompt \+= f"(At the same time.*?)" if/u,
        earlier: /user_prompt \+= f"(In the last round.*?)" if/u,
      }),
      ...stringsIn(files.pruneDecision, {
        "decision system": /system_prompt = f"(\{self\.role\}.*?)"/u,
        "decision task": /user_prompt = f"(The task is:.*?)"/u,
      }),
      ...stringsIn(files.pruneTools, {
        passed: /feedback = "(Tests passed:.*?)"/u,
        "passed not": /\+ "((?:\\n)*Tests failed:)"/u,
        output: /failed_tests\.append\(f"(.*?)"\)/u,
        "no output": /return "(TIMEOUT)"/u,
      }),
    },
    examples: 0,
  },
];
