import type { KnownFile } from "../data/benchmark.ts";

/** Where a text stands in a published file: all of it, or what the first group of a pattern catches. */
export interface TextPlace {
  readonly file: KnownFile;
  /** Absent: the whole file, without white space at its ends. */
  readonly pattern?: RegExp;
  /** It is a Python string with escapes, or `joined`: several behind each other, which Python joins. */
  readonly escaped?: true | "joined";
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
  agentpo: { owner: "dreaming-madao", commit: "8987a7ecdcfb5b0940acc2444b3dea22b121d6f2" },
  LLM_Collab_Writing: { owner: "OpenMLRL", commit: "7e59995e20251de8819bdf2a57d8296193cb2b03" },
  LLM_Collab_Code_Generation: { owner: "junho328", commit: "7ca407e289ae2954bce0ed98937128c93b20d0ee" },
  llm_multiagent_debate: { owner: "composable-models", commit: "9846749350eb917ae5bfaaff4c645fc705b8d3af" },
  "Multi-Agents-Debate": { owner: "Skytliang", commit: "022a7a8eecda85844d336e9064cc556edb0445b3" },
  evoagent: { owner: "siyuyuan", commit: "fc6d087b119df69466c2372cfcaf588c040aaba8" },
  ADAS: { owner: "ShengranHu", commit: "2702bee8fefda42255efc5be9f60e3bd3db96ae4" },
  "self-refine": { owner: "madaan", commit: "9a206d41e5d2d0c241bb441f41eeadb945afaa55" },
  test: { owner: "hendrycks", commit: "4450500f923c49f1fb1dd3d99108a0bd9717b660" },
} as const;

/** A file of a repository at its commit, and where a data folder keeps it. */
export function fileOf(repository: keyof typeof repositories, path: string, bytes: number, sha256: string): KnownFile {
  const { owner, commit } = repositories[repository];
  const below = `${owner}/${repository}/${commit}/${path}`;
  return { path: `exemplars/${below}`, url: `https://raw.githubusercontent.com/${below}`, bytes, sha256 };
}

/** What a repository without a licence file states. */
export const none = "none stated";

/** From this opening to the end of a string of three quotes. */
export const between = (opening: string): RegExp => new RegExp(String.raw`${opening}([\s\S]*?)"""`, "u");

/** Texts of one file: each a Python string that a pattern catches. */
export function stringsIn(file: KnownFile, patterns: Readonly<Record<string, RegExp>>): Record<string, TextPlace> {
  return Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { file, pattern, escaped: true }]),
  );
}

/** A value of a Python dictionary: strings behind each other. */
export function joinedAt(file: KnownFile, key: string): TextPlace {
  const pattern = new RegExp(String.raw`"${key}":\s*((?:"(?:[^"\\]|\\.)*"\s*)+),`, "u");
  return { file, pattern, escaped: "joined" };
}
