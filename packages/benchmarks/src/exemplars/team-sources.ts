import type { KnownFile } from "../data/benchmark.ts";
import { between, fileOf, joinedAt, none, stringsIn, type ExemplarSource, type TextPlace } from "./source.ts";

const prune = (path: string, bytes: number, sha256: string): KnownFile => fileOf("AgentPrune", path, bytes, sha256);

/** Every file of the sources below. */
const files = {
  "dylan/math": fileOf(
    "DyLAN",
    "code/MATH/llmlp_gen_math_listwise_cot.py",
    17_329,
    "6f248cb11bc7d511b8c9ad5574725f30e9ae14740c39b7033bcbfcab1ebe7dd6",
  ),
  "dylan/mmlu": fileOf(
    "DyLAN",
    "code/MMLU/prompt_lib.py",
    12_816,
    "7f3b171141a86e1db3dcb50ef70b77ae785f94f26ef1f7264eb4719640d16f0a",
  ),
  "prune/gsm8k": prune(
    "AgentPrune/prompt/gsm8k_prompt_set.py",
    21_257,
    "01e5c273a23699bbe56a3cdd070dae52597e7ec84de68bf16cb1fa07925b8a88",
  ),
  "prune/solver": prune(
    "AgentPrune/agents/math_solver.py",
    3686,
    "0d6b37d01c003c0a16aba36c51b26b032617f6539bd86b38918bb443e66209fe",
  ),
  "prune/mmlu": prune(
    "AgentPrune/prompt/mmlu_prompt_set.py",
    7362,
    "89c72533cf1a1e22ca04792925c307019ff6164db7b7907c674620d7fd5a5ec9",
  ),
  "prune/analyst": prune(
    "AgentPrune/agents/analyze_agent.py",
    3672,
    "13ecfe8278d746365ccc582a5dd1151c58db0f819b46b285a78698bf529e46d8",
  ),
  "prune/options": prune(
    "dataset/mmlu_dataset.py",
    3024,
    "6b7d67471cebcddb3f2c39db321d81724741391bc4267e10391d6f8cfce8c7ba",
  ),
  "prune/decision": prune(
    "AgentPrune/agents/final_decision.py",
    9522,
    "a0a3963af2d7c4ccb55c247e5e3077053bb93f7bc883f5a48d0cd78df79d6aaa",
  ),
  "debate/gsm": fileOf(
    "llm_multiagent_debate",
    "gsm/gen_gsm.py",
    2890,
    "3a4adafb7a2563e70eb86855aad4d99507f12f8382f39dda2af29baa4bf1900a",
  ),
  mad: fileOf(
    "Multi-Agents-Debate",
    "code/utils/config4all.json",
    2194,
    "6aaa73c2949584600c6cb8cdb24f15f3c6d96f18a20f302ae7f53058ef409f5d",
  ),
  "debate/mmlu": fileOf(
    "llm_multiagent_debate",
    "mmlu/gen_mmlu.py",
    3164,
    "23ffcf0b0f78da2bb99744946844f93477371fc5eaaa4ce1969fa6e42b9cf3c2",
  ),
} as const;

/** A role's words of AgentPrune on GSM8K. */
const solver = (role: string): Record<string, TextPlace> => ({ [role]: joinedAt(files["prune/gsm8k"], role) });

/** What both forms of AgentPrune's decision read. */
const decision = stringsIn(files["prune/decision"], {
  "decision system": /system_prompt = f"(\{self\.role\}.*?)"/u,
  "decision task": /user_prompt = f"(\{decision_few_shot\}.*?)"/u,
});

/** A string of a JSON object. */
const value = (key: string): RegExp => new RegExp(String.raw`"${key}": "((?:[^"\\]|\\.)*)"`, "u");

const debateFence = String.raw`response = "((?:[^"\\]|\\.)*)"\.format`;

/** Of teams: DyLAN, LLM-Debate, MAD and AgentPrune. */
export const teamSources: readonly ExemplarSource[] = [
  {
    name: "dylan-math",
    title: "DyLAN, MATH",
    licence: "MIT",
    texts: {
      examples: { file: files["dylan/math"], pattern: between(String.raw`^EXAMPLES = r"""`) },
      ...stringsIn(files["dylan/math"], {
        system: /^SYSTEM_PROMPT = "(.*)"$/mu,
        task: /question = EXAMPLES \+ "(.*?)" \+ prob_content/u,
        before: /prefix_string = "(.*?)" \+ question/u,
        replies: /\+ question \+ +"(.*?)"\n/u,
        reply: /response = "(.*?)"\.format/u,
        update: /prefix_string \+ """(.*?)"""/u,
        ranked: /response = "(.*?)" \+ str\(aid\)/u,
        rank: /prefix_string \+ "((?:\\n)+Please choose.*?)"\.format/u,
      }),
    },
    examples: 8,
  },
  {
    name: "dylan-choice",
    title: "DyLAN, MMLU",
    licence: "MIT",
    texts: stringsIn(files["dylan/mmlu"], {
      ...Object.fromEntries(
        ["Economist", "Doctor", "Lawyer", "Mathematician", "Psychologist", "Programmer", "Historian"].map((role) => [
          role.toLowerCase(),
          new RegExp(String.raw`^ROLE_MAP = \{[\s\S]*?"${role}": "(.*)"`, "mu"),
        ]),
      ),
      system: /^SYSTEM_PROMPT_MMLU = "(.*)"$/mu,
      options: /^MMLU_QUESTION = "(.*)"$/mu,
      before: /prefix_string = "(Here is the question:.*?)" \+ question/u,
      first: /\+ question \+ "((?:\\n)+Put your answer.*?)"\n/u,
      replies: /\+ question \+ "((?:\\n)+These are.*?)"\n/u,
      ranked: /response = "(.*?)" \+ str\(aid\)/u,
      update: /prefix_string \+ "((?:\\n)+Using.*?)"\.format/u,
      rank: /prefix_string \+ "((?:\\n)+Please choose.*?)"\n/u,
    }),
    examples: 0,
  },
  {
    name: "debate-word",
    title: "LLM-Debate, GSM8K",
    licence: none,
    texts: stringsIn(files["debate/gsm"], {
      ask: /"content": """(.*?)"""\.format/u,
      replies: /prefix_string = "(.*?)"\n/u,
      reply: new RegExp(debateFence, "u"),
      update: /prefix_string \+ """(.*?)"""/u,
      alone: /"content": "(.*?)"\}/u,
    }),
    examples: 0,
  },
  {
    name: "debate-choice",
    title: "LLM-Debate, MMLU",
    licence: none,
    texts: stringsIn(files["debate/mmlu"], {
      ask: /question = "(.*?)"\.format/u,
      replies: /prefix_string = "(.*?)"\n/u,
      reply: new RegExp(debateFence, "u"),
      update: /prefix_string \+ """(.*?)"""/u,
      alone: /"content": "(.*?)"\}/u,
    }),
    examples: 0,
  },
  {
    name: "mad",
    title: "MAD, the debate on any question",
    licence: "GPL-3.0",
    texts: stringsIn(files.mad, {
      player: value("player_meta_prompt"),
      moderator: value("moderator_meta_prompt"),
      affirmative: value("affirmative_prompt"),
      negative: value("negative_prompt"),
      debate: value("debate_prompt"),
      moderate: value("moderator_prompt"),
      candidates: value("judge_prompt_last1"),
      choose: value("judge_prompt_last2"),
    }),
    examples: 0,
  },
  {
    name: "agentprune-word",
    title: "AgentPrune, GSM8K",
    licence: none,
    texts: {
      ...solver("Math Solver"),
      ...solver("Mathematical Analyst"),
      ...solver("Programming Expert"),
      ...solver("Inspector"),
      ...stringsIn(files["prune/gsm8k"], {
        "examples Math Solver": between(String.raw`^"Math Solver":\s*"""`),
        "examples Mathematical Analyst": between(String.raw`^"Mathematical Analyst":\s*"""`),
        "examples Programming Expert": between(String.raw`^"Programming Expert":\s*"""`),
        ask: /return f"\{FEW_SHOT_DATA\[role\]\}(.*?)"/u,
        "decision role": /def get_decision_role\(\):\s*return "(.*?)"/u,
        "decision examples": between(String.raw`def get_decision_few_shot\(\):\s*return """`),
      }),
      "decision constraint": {
        file: files["prune/gsm8k"],
        pattern: /def get_decision_constraint\(\):\s*return \(([\s\S]*?")\)/u,
        escaped: "joined",
      },
      ...stringsIn(files["prune/solver"], {
        hint: /user_prompt \+= "(\(Hint.*?)"/u,
        "hint end": /user_prompt \+= "(\)\.)"/u,
        reply: /spatial_str \+= f"(.*?)"/u,
        "earlier reply": /temporal_str \+= f"(.*?)"/u,
        now: /user_prompt \+= f"(At the same time.*?)" if/u,
        earlier: /user_prompt \+= f"(In the last round.*?)" if/u,
        printed: /response \+= f"(.*?)"/u,
      }),
      ...decision,
    },
    examples: 7,
  },
  {
    name: "agentprune-choice",
    title: "AgentPrune, MMLU",
    licence: none,
    texts: {
      ...stringsIn(files["prune/mmlu"], {
        ...Object.fromEntries(
          ["Critic", "Mathematician", "Psychologist", "Historian"].map((role) => [
            role,
            between(String.raw`^"${role}":\s*"""`),
          ]),
        ),
        // The first of the roles, whose name is spelled otherwise.
        "Knowledgeable Expert": between(String.raw`^ROLE_DESCRIPTION = \{\s*"[^"]*":\s*"""`),
        "named Knowledgeable Expert": /^roles = itertools\.cycle\(\['(.*?)'/mu,
        alone: between(String.raw`else ""\+ """`),
        "decision role": /def get_decision_role\(\):\s*return "(.*?)"/u,
        "decision constraint": between(String.raw`def get_decision_constraint\(\):\s*return """`),
      }),
      options: {
        file: files["prune/options"],
        pattern: /demo_question = \(([\s\S]*?")\s*\)\n/u,
        escaped: "joined",
      },
      ...stringsIn(files["prune/analyst"], {
        ask: /user_prompt = f"(.*?)" if/u,
        reply: /spatial_str \+= f"(.*?)"/u,
        "earlier reply": /temporal_str \+= f"(.*?)"/u,
        now: /user_prompt \+= f"(At the same time.*?)" if/u,
        earlier: /user_prompt \+= f"(In the last round.*?)" if/u,
      }),
      ...decision,
    },
    examples: 0,
  },
];
