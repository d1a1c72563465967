import { between, fileOf, none, stringsIn, type ExemplarSource, type TextPlace } from "./source.ts";

const files = {
  actor: fileOf(
    "agentpo",
    "agentpo/reward_manager_agentpo.py",
    7788,
    "04b87146a91adb45fe976e2e6ea2950fdc7f394f0c3f9013f5279c52137a7814",
  ),
  collaborator: fileOf(
    "agentpo",
    "agentpo/rl_dataset.py",
    10_475,
    "87979fe208d6dc0249b55242c1d1a89227820997a45d6f51574f3d5316f89ca9",
  ),
  writing: fileOf(
    "LLM_Collab_Writing",
    "train_magrpo.py",
    15_024,
    "897a97259f4739cf4b59bba936f83d2eb4300c60580fde92d2327873080c7cab",
  ),
  code: fileOf(
    "LLM_Collab_Code_Generation",
    "train_magrpo.py",
    23_937,
    "f0b6ad7e05e3a7b51d8435563896bc6ae83945b3421a1581db7e6744f8894c59",
  ),
  feedback: fileOf(
    "LLM_Collab_Code_Generation",
    "external/level_feedback.py",
    13_213,
    "4ab22acc3f1b5ffe578b1dd80c5baf128fdaaf54854e296e1fe755667c3d5501",
  ),
  checks: fileOf(
    "LLM_Collab_Code_Generation",
    "rewards/code_utils.py",
    22_814,
    "ffa701b42e9a3d3d5ced1bfd075163f54ea622c28f2d37d63977a92df50e00c3",
  ),
} as const;

const inActor = (pattern: RegExp): TextPlace => ({ file: files.actor, pattern, escaped: true });
const inCollaborator = (pattern: RegExp): TextPlace => ({ file: files.collaborator, pattern, escaped: true });

/** The actor's, of both flows. */
const actor = {
  solver: inActor(/=="assistant":\s*system_prompt='(.*?)'\n/u),
  suffix: inActor(/prompt\+="(.*?)"\n/u),
};

/** The request of one of MAGRPO's writers: a template that its function returns. */
function writer(file: "writing" | "code", name: string): TextPlace {
  const opening = String.raw`^def ${name}\([\s\S]*?prompt_text = f"""`;
  return { file: files[file], pattern: between(opening), escaped: true };
}

/** Of one line that begins so, in a string of two quotes. */
const line = (opening: string): RegExp => new RegExp(String.raw`"(${opening}[^"]*)"`, "u");

/** What programmers read after a turn: history, diagnostics, and what to do; and what the checks say in brackets. */
const feedback = {
  ...stringsIn(files.feedback, {
    prompts: line("History: previous"),
    prompt: line(String.raw`- Turn \{t\} prompt`),
    helperReplies: line("History: your previous aux"),
    mainReplies: line("History: your previous main"),
    reply: line(String.raw`- Turn \{t\} resp`),
    diagnostics: line("Static and"),
    helperDefinition: line("- Aux def"),
    mainDefinition: line("- Main def"),
    syntax: line("- Syntax"),
    tests: line(String.raw`- Tests: \{`),
    failed: line(" {2}Failed"),
    untested: line("- Tests: no"),
    uncalled: line("- Aux usage: main does"),
    misused: line("- Aux usage: called"),
    used: line("- Aux usage: main calls"),
    wrapper: line("- Warning"),
    reviseHelper: line(String.raw`\\nRevise your aux`),
    reviseMain: line(String.raw`\\nRevise your \{`),
    helperName: /"aux", "(\w[^"]*)"/u,
    mainName: /entry_point, f"(\w[^"]*)"/u,
    programName: /combined_code, "(\w[^"]*)"/u,
  }),
  ...stringsIn(files.checks, {
    absent: line(String.raw`\{description\} not`),
    silent: line(String.raw`\{description\} missing`),
    defined: line(String.raw`\{description\} properly`),
    parses: line(String.raw`\{description\} syntax`),
    broken: line(String.raw`\{description\} has syntax`),
  }),
};

/** Of the teams that AgentPO and MAGRPO train. */
export const paperSources: readonly ExemplarSource[] = [
  {
    name: "agentpo-hint",
    title: "AgentPO, collaborator before the actor",
    licence: none,
    texts: {
      hint: inCollaborator(/^prompt_system="(.*)"$/mu),
      ...actor,
      problem: inActor(/prompt=f"(Problem: .*?Hint.*?)"\n/u),
    },
    examples: 0,
  },
  {
    name: "agentpo-critic",
    title: "AgentPO, collaborator behind the actor's draft",
    licence: none,
    texts: {
      critic: inCollaborator(between(String.raw`^verification_system_prompt ="""`)),
      draft: inCollaborator(/query=f"(.*?)"\n/u),
      ...actor,
      reviser: inActor(/=="critic":\s*system_prompt='(.*?)'\n/u),
      problem: inActor(/prompt=f"(Problem: .*?Comment.*?)"\n/u),
    },
    examples: 0,
  },
  {
    name: "magrpo-tldr",
    title: "MAGRPO, two summaries of a post",
    licence: none,
    texts: {
      short: writer("writing", "summary_agent_formatter"),
      long: writer("writing", "elaboration_agent_formatter"),
    },
    examples: 0,
  },
  {
    name: "magrpo-arxiv",
    title: "MAGRPO, two parts of an introduction",
    licence: none,
    texts: {
      background: writer("writing", "background_agent_formatter"),
      methods: writer("writing", "complementary_agent_formatter"),
    },
    examples: 0,
  },
  {
    name: "magrpo-code",
    title: "MAGRPO, a helper and the main function",
    licence: none,
    texts: {
      helper: writer("code", "aux_function_formatter"),
      main: writer("code", "main_function_formatter"),
      ...feedback,
    },
    examples: 0,
  },
];
