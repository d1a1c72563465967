import type { KnownFile } from "../data/benchmark.ts";
import { between, fileOf, none, stringsIn, type ExemplarSource, type TextPlace } from "./source.ts";

const adas = (path: string, bytes: number, sha256: string): KnownFile => fileOf("ADAS", path, bytes, sha256);

const files = {
  choiceAgents: adas(
    "_mmlu/mmlu_prompt.py",
    26_663,
    "60ff5bfe049fc011d1345dc715e89ccdde017f58d44734f528a7f7b1487fa368",
  ),
  choiceCalls: adas("_mmlu/search.py", 15_008, "749503b4454f97e105eed7e96fb5d402ef26fd0905b80f91a5d29a6045957228"),
  choices: adas("_mmlu/utils.py", 2685, "179d20ab07b4e2d4a08a2e001cd9ce9e09602d79b5e743d3425ece1ea6bd2146"),
  wordAgents: adas("_mgsm/mgsm_prompt.py", 26_727, "6512b4a3d01ca80171f749981361c19edfbc6863b4de8ca70fa9aee6a6960f2b"),
  wordCalls: adas(
    "_transfer_math/evaluation_gsm8k.py",
    8886,
    "02825700a4f11363ea77755e92724f8196054055ca588a532345c0c6c8289c4a",
  ),
  words: adas(
    "_transfer_math/gsm8k_utils.py",
    3245,
    "f5d84f06a65d96787de154c8e77f989c98d3d1f69e7c41a0417545997b762762",
  ),
  evoPrompts: fileOf(
    "evoagent",
    "mmmu/agent_prompt.py",
    6894,
    "c13c260d4ad1b047727094380e03450da83c2c0051d30e189dd0aadd88d89c1f",
  ),
  evoRun: fileOf(
    "evoagent",
    "mmmu/run_evoagent.py",
    5968,
    "7209c4e31b899fb82e230470ff4d21b65e6daca19247282989ea5e58730b10b4",
  ),
} as const;

/** How every agent of ADAS is asked, and what those say that are played here. */
function agents(calls: KnownFile, archive: KnownFile): Record<string, TextPlace> {
  return {
    ...stringsIn(calls, {
      "default role": /role='(.*?)'/u,
      role: /^ROLE_DESC = lambda role: f"(.*?)"/mu,
      form: between(String.raw`^FORMAT_INST = lambda request_keys: f"""`),
      field: /\{key: f"(.*?)" if/u,
      "answer field": /else f"(Your \{key\}\..*?)" for/u,
      task: /input_infos_text \+= f'(# Your Task:.*?)'/u,
      "numbered info": /input_infos_text \+= f'(### \{field_name\} #.*?)'/u,
      info: /input_infos_text \+= f'(### \{field_name\} by .*?)'/u,
      own: /author \+= '(.*?)'/u,
    }),
    ...stringsIn(archive, {
      solve: /cot_initial_instruction = "(.*?)"/u,
      reflect: /cot_reflect_instruction = "(.*?)"/u,
      criticise: /critic_instruction = "(.*?)"/u,
      route: /routing_instruction = "(.*?)"/u,
      solver: /LLMAgentBase\(\['thinking', 'answer'\], '(.*?)'\)/u,
      critic: /LLMAgentBase\(\['feedback', 'correct'\], '(.*?)'\)/u,
    }),
  };
}

/** Of agents that papers compare with, by whoever published their prompts: ADAS and EvoAgent. */
export const promptSources: readonly ExemplarSource[] = [
  {
    name: "adas-word",
    title: "ADAS's agents on GSM8K",
    licence: "Apache-2.0",
    texts: {
      ...agents(files.wordCalls, files.wordAgents),
      ...stringsIn(files.words, { question: /example\['inputs'\] = "(.*?)" \+/u }),
    },
    examples: 0,
  },
  {
    name: "adas-choice",
    title: "ADAS's agents on MMLU",
    licence: "Apache-2.0",
    texts: {
      ...agents(files.choiceCalls, files.choiceAgents),
      ...stringsIn(files.choices, { options: between(String.raw`^QUERY_TEMPLATE_MULTICHOICE = """\n`) }),
    },
    examples: 0,
  },
  {
    name: "evoagent",
    title: "EvoAgent, MMMU",
    licence: none,
    texts: {
      ...stringsIn(files.evoRun, { ask: /prompt = f'(\{question\}.*?)'\n/u }),
      ...stringsIn(
        files.evoPrompts,
        Object.fromEntries(
          Object.entries({ invent: "META", advise: "MULTI", merge: "REFINE", check: "CHECK" }).map(([name, key]) => [
            name,
            between(String.raw`^INSTRUCTION_${key} = """`),
          ]),
        ),
      ),
    },
    examples: 0,
  },
];
