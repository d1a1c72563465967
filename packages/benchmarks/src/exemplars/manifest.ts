import type { KnownFile } from "../data/benchmark.ts";

/** Where a text stands in a published file: all of it, or what the first group of a pattern catches. */
export interface TextPlace {
  readonly file: KnownFile;
  /** Absent: the whole file, without white space at its ends. */
  readonly pattern?: RegExp;
  /** It is a Python string with escapes. */
  readonly escaped?: true;
}

/** Texts that a method's authors published and its requests are written with. They are fetched, never shipped. */
export interface ExemplarSource {
  readonly name: string;
  readonly title: string;
  /** As the repository states it. */
  readonly licence: string;
  readonly texts: Readonly<Record<string, TextPlace>>;
  /** Worked examples of each request. */
  readonly examples: number;
}

const repositories = {
  "Progressive-Hint": { owner: "chuanyang-Zheng", commit: "aca5acc6bbdede3eee79d7e4f6b0445f5f9b4c43" },
  DyLAN: { owner: "SALT-NLP", commit: "572341b56a0fdf1db07935295f177ae9d10986bb" },
  AgentPrune: { owner: "yanweiyue", commit: "c544dd6a1858c02c6d5d371d23c6e6ff55e0be21" },
  llm_multiagent_debate: { owner: "composable-models", commit: "9846749350eb917ae5bfaaff4c645fc705b8d3af" },
} as const;

function file(repository: keyof typeof repositories, path: string, bytes: number, sha256: string): KnownFile {
  const { owner, commit } = repositories[repository];
  const below = `${owner}/${repository}/${commit}/${path}`;
  return { path: `exemplars/${below}`, url: `https://raw.githubusercontent.com/${below}`, bytes, sha256 };
}

const hint = (path: string, bytes: number, sha256: string): KnownFile => file("Progressive-Hint", path, bytes, sha256);

/** Every file of the sources below. */
const files = {
  "php/main": hint("main_clean.py", 27_217, "883686908104fdf83aaa18710c85ea8d0d447806e0d317f523cc523c5018fa8a"),
  "standard/word": hint(
    "prompt/standard/standard_base_gsm8k.txt",
    1208,
    "7c86f8d55532c25aac0bc0049bee7f715dc81ae3364ea568bfe6221ddc8e8971",
  ),
  "standard/aqua": hint(
    "prompt/standard/standard_base_aqua.txt",
    664,
    "f0ed0ae544b2aaeea8e39e97ab534812ade6d3e8eca14aab7fc0303a2dbc331b",
  ),
  "cot/word": hint(
    "prompt/cot/cot_base_gsm8k.txt",
    2382,
    "1b2ea66b69b24910e65790d05367c44a3bb70c20ede39e566cd5badde4614290",
  ),
  "cot/aqua": hint(
    "prompt/cot/cot_base_aqua.txt",
    1164,
    "813c4066847865aa0cc83f57b7e6ed1c32c20678aa92633e18614b8d4b53396c",
  ),
  "complex/word": hint(
    "prompt/complex/complex_base_gsm8k.txt",
    8488,
    "f76c08c4992cfc2066bee63aed6c22d62ba6ef93a94b462bc766cfa9bfd16bfa",
  ),
  "complex/aqua": hint(
    "prompt/complex/complex_base_aqua.txt",
    4871,
    "424dfb3133a9f0fe698c5a5739eba8e8533909b25b35858105e9c017d82f63f9",
  ),
  "complex/math": hint(
    "prompt/complex/complex_math_base.txt",
    5582,
    "557a607a08a9a29a4e37ef15b25e693cdd00ab8d0fcde727a8e435d8b2c1d1ba",
  ),
  "php/word": hint(
    "prompt/complex/complex_PHP_gsm8k.txt",
    9506,
    "d65ac0230aec1dc49a51efc39162dd3647859ff44cb0fdeafe7c2b121339aa38",
  ),
  "php/aqua": hint(
    "prompt/complex/complex_PHP_aqua.txt",
    5914,
    "a8450858f2c4eb28135b00fa001807c475f4c5520c4799a7ab125d41c6b449f7",
  ),
  "php/math": hint(
    "prompt/complex/complex_math_php.txt",
    6765,
    "221109b9a48cc2d61911dfb39999a2fddbcd4f97e9614584c8ead2a35890dc09",
  ),
  "dylan/math": file(
    "DyLAN",
    "code/MATH/llmlp_gen_math_listwise_cot.py",
    17_329,
    "6f248cb11bc7d511b8c9ad5574725f30e9ae14740c39b7033bcbfcab1ebe7dd6",
  ),
  "agentprune/gsm8k": file(
    "AgentPrune",
    "AgentPrune/prompt/gsm8k_prompt_set.py",
    21_257,
    "01e5c273a23699bbe56a3cdd070dae52597e7ec84de68bf16cb1fa07925b8a88",
  ),
  "debate/gsm": file(
    "llm_multiagent_debate",
    "gsm/gen_gsm.py",
    2890,
    "3a4adafb7a2563e70eb86855aad4d99507f12f8382f39dda2af29baa4bf1900a",
  ),
  "debate/mmlu": file(
    "llm_multiagent_debate",
    "mmlu/gen_mmlu.py",
    3164,
    "23ffcf0b0f78da2bb99744946844f93477371fc5eaaa4ce1969fa6e42b9cf3c2",
  ),
} as const;

const none = "none stated";
const system: TextPlace = { file: files["php/main"], pattern: /"role": "system", "content": "([^"]+)"/u };

/** One request: a system message, the examples, the question. */
function shown(name: string, title: string, base: keyof typeof files, examples: number): ExemplarSource {
  return { name, title, licence: none, texts: { system, base: { file: files[base] } }, examples };
}

function hinted(kind: "word" | "aqua" | "math", of: string): ExemplarSource {
  return {
    name: `php-${kind}`,
    title: `Progressive hints on Complex CoT, ${of}`,
    licence: none,
    texts: { system, base: { file: files[`complex/${kind}`] }, hinted: { file: files[`php/${kind}`] } },
    examples: 8,
  };
}

const between = (opening: string): RegExp => new RegExp(String.raw`${opening}([\s\S]*?)"""`, "u");
const debateFence = String.raw`response = "((?:[^"\\]|\\.)*)"\.format`;

/** All sources, by the names that protocols know them by. */
export const exemplarSources: readonly ExemplarSource[] = [
  shown("standard-word", "Standard prompt, word problems", "standard/word", 8),
  shown("standard-aqua", "Standard prompt, AQuA", "standard/aqua", 4),
  shown("cot-word", "Chain of thought, word problems", "cot/word", 8),
  shown("cot-aqua", "Chain of thought, AQuA", "cot/aqua", 4),
  shown("complex-word", "Complex CoT, word problems", "complex/word", 8),
  shown("complex-aqua", "Complex CoT, AQuA", "complex/aqua", 8),
  shown("complex-math", "Complex CoT, MATH", "complex/math", 8),
  hinted("word", "word problems"),
  hinted("aqua", "AQuA"),
  hinted("math", "MATH"),
  {
    name: "dylan-math",
    title: "DyLAN, MATH",
    licence: "MIT",
    texts: {
      system: { file: files["dylan/math"], pattern: /^SYSTEM_PROMPT = "(.*)"$/mu, escaped: true },
      examples: { file: files["dylan/math"], pattern: between(String.raw`^EXAMPLES = r"""`) },
      task: { file: files["dylan/math"], pattern: /question = EXAMPLES \+ "(.*?)" \+ prob_content/u, escaped: true },
      before: { file: files["dylan/math"], pattern: /prefix_string = "(.*?)" \+ question/u, escaped: true },
      replies: { file: files["dylan/math"], pattern: /\+ question \+ +"(.*?)"\n/u, escaped: true },
      reply: { file: files["dylan/math"], pattern: /response = "(.*?)"\.format/u, escaped: true },
      update: { file: files["dylan/math"], pattern: /prefix_string \+ """(.*?)"""/u, escaped: true },
      ranked: { file: files["dylan/math"], pattern: /response = "(.*?)" \+ str\(aid\)/u, escaped: true },
      rank: {
        file: files["dylan/math"],
        pattern: /prefix_string \+ "((?:\\n)+Please choose.*?)"\.format/u,
        escaped: true,
      },
    },
    examples: 8,
  },
  {
    name: "debate-word",
    title: "LLM-Debate, GSM8K",
    licence: none,
    texts: {
      ask: { file: files["debate/gsm"], pattern: /"content": """(.*?)"""\.format/u, escaped: true },
      replies: { file: files["debate/gsm"], pattern: /prefix_string = "(.*?)"\n/u, escaped: true },
      reply: { file: files["debate/gsm"], pattern: new RegExp(debateFence, "u"), escaped: true },
      update: { file: files["debate/gsm"], pattern: /prefix_string \+ """(.*?)"""/u, escaped: true },
      alone: { file: files["debate/gsm"], pattern: /"content": "(.*?)"\}/u, escaped: true },
    },
    examples: 0,
  },
  {
    name: "debate-choice",
    title: "LLM-Debate, MMLU",
    licence: none,
    texts: {
      ask: { file: files["debate/mmlu"], pattern: /question = "(.*?)"\.format/u, escaped: true },
      replies: { file: files["debate/mmlu"], pattern: /prefix_string = "(.*?)"\n/u, escaped: true },
      reply: { file: files["debate/mmlu"], pattern: new RegExp(debateFence, "u"), escaped: true },
      update: { file: files["debate/mmlu"], pattern: /prefix_string \+ """(.*?)"""/u, escaped: true },
      alone: { file: files["debate/mmlu"], pattern: /"content": "(.*?)"\}/u, escaped: true },
    },
    examples: 0,
  },
  {
    name: "agentprune-word",
    title: "AgentPrune, GSM8K: the examples of each role",
    licence: none,
    texts: {
      "Math Solver": {
        file: files["agentprune/gsm8k"],
        pattern: between(String.raw`^"Math Solver":\s*"""`),
        escaped: true,
      },
      "Mathematical Analyst": {
        file: files["agentprune/gsm8k"],
        pattern: between(String.raw`^"Mathematical Analyst":\s*"""`),
        escaped: true,
      },
      "Programming Expert": {
        file: files["agentprune/gsm8k"],
        pattern: between(String.raw`^"Programming Expert":\s*"""`),
        escaped: true,
      },
    },
    examples: 7,
  },
];
