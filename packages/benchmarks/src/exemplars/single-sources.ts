import { fileOf, none, stringsIn, type ExemplarSource, type TextPlace } from "./source.ts";
import type { KnownFile } from "../data/benchmark.ts";

const hint = (path: string, bytes: number, sha256: string): KnownFile =>
  fileOf("Progressive-Hint", path, bytes, sha256);

const refine = (path: string, bytes: number, sha256: string): KnownFile => fileOf("self-refine", path, bytes, sha256);

/** Every file of the sources below. */
const files = {
  mmlu: fileOf("test", "evaluate.py", 4697, "8b7d84e5a2e9290df0d43d1c060aa68ecb638c4666415b3a58d709c18eace4ec"),
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
  "refine/init": refine(
    "data/prompt/gsm/init.txt",
    4077,
    "926be6c12ec82aced16abd7f4918f3cf5f3417dcd9accb101b7b8a100d05c271",
  ),
  "refine/feedback": refine(
    "data/prompt/gsm/feedback.txt",
    8565,
    "0516d5e54d6aad0d303a967f7d17b7580447d4ea175ce669e7e2f386b0c5a4e0",
  ),
  "refine/draft": refine(
    "src/gsm/task_init.py",
    1781,
    "b8a8e1f30716f9c9ad639ddd3db45f118e7ae2ee72329ba445b0bfbd802a5d4d",
  ),
  "refine/critic": refine(
    "src/gsm/feedback.py",
    3400,
    "ff5d7035147b92630f44f276f4531e2ec5ab4157089c057b7948889ecd9f0806",
  ),
} as const;

/** All of a file, with the empty lines at its end. */
const whole = /^([\s\S]*)$/u;

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

/** Of single agents: MMLU, Standard, CoT, Complex CoT and progressive hints. */
export const singleSources: readonly ExemplarSource[] = [
  {
    name: "mmlu-header",
    title: "MMLU, the line above its examples",
    licence: "MIT",
    texts: {
      header: { file: files.mmlu, pattern: /prompt = "(.*?)"\.format\(format_subject/u, escaped: true },
    },
    examples: 0,
  },
  shown("standard-word", "Standard prompt, word problems", "standard/word", 8),
  shown("standard-aqua", "Standard prompt, AQuA", "standard/aqua", 4),
  shown("cot-word", "Chain of thought, word problems", "cot/word", 8),
  shown("cot-aqua", "Chain of thought, AQuA", "cot/aqua", 4),
  shown("complex-word", "Complex CoT, word problems", "complex/word", 8),
  shown("complex-aqua", "Complex CoT, AQuA", "complex/aqua", 8),
  shown("complex-math", "Complex CoT, MATH", "complex/math", 8),
  {
    name: "self-refine-word",
    title: "Self-Refine by programs, word problems",
    licence: "Apache-2.0",
    texts: {
      init: { file: files["refine/init"], pattern: whole },
      feedback: { file: files["refine/feedback"], pattern: whole },
      ...stringsIn(files["refine/draft"], {
        question: /question_prefix="([^"]*)"/u,
        solution: /answer_prefix="([^"]*)"/u,
        between: /inter_example_sep="([^"]*)"/u,
      }),
      ...stringsIn(files["refine/critic"], {
        instruction: /self\.instruction = "([^"]*)"/u,
        end: /inter_example_sep="([^"]*)"/u,
        stop: /stop_token="([^"]*)"/u,
        head: /split\("(def [^"]*)"\)/u,
      }),
    },
    examples: 8,
  },
  hinted("word", "word problems"),
  hinted("aqua", "AQuA"),
  hinted("math", "MATH"),
];
