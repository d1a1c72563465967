import { LaconicError, samplingNames, samplingParameters } from "@laconic/core";

type Json = Readonly<Record<string, unknown>>;

/**
 * What an audit knows of a setting: any value of it, one of several, or keys with what is known of each. A function decides by
 * the value; null where nothing of the rest is read.
 */
type Known = "any" | readonly unknown[] | { readonly [key: string]: Known } | ((value: Json) => Known | null);

/** Keys with any value. */
const any = (names: string): { readonly [key: string]: Known } =>
  Object.fromEntries(names.split(" ").map((name) => [name, "any"]));

/** Names of a user's or a run's own, each with a value of one kind. */
const each =
  (known: Known): Known =>
  (value) =>
    Object.fromEntries(Object.keys(value).map((name) => [name, known]));

/** Keys by the name at one of them. What has a name that the audit lacks is left out elsewhere, and said so. */
const named =
  (key: string, table: Readonly<Record<string, { readonly [key: string]: Known }>>): Known =>
  (value) => {
    const name = value[key];
    return typeof name === "string" && Object.hasOwn(table, name) ? { [key]: "any", ...table[name] } : null;
  };

const clip = { clip: any("low high") };
const aggregation = {
  aggregation: [
    "seq-mean-token-mean",
    "token-mean",
    "seq-mean-token-sum",
    "seq-mean-token-sum-norm",
    "token-sum",
    "prompt-mean",
  ],
  constantLength: "any",
} as const;
const corrections = {
  kl: { estimator: ["k1", "k2", "k3", "k1+", "k3+"], ...any("coefficient biasCorrection") },
  importance: {
    kind: ["truncate", "mask"],
    level: ["token", "sequence", "geometric"],
    ...any("cap veto gapAbove"),
  },
  offPolicyMask: "any",
} as const;

const objective = named("name", {
  gspo: { ...corrections, ...clip, minLength: "any" },
  "gspo-token": { ...corrections, ...clip, minLength: "any" },
  grpo: { ...corrections, ...clip, ...aggregation, ...any("dualClip maxRatio") },
  "dr-grpo": { ...corrections, ...clip, ...any("constantLength dualClip maxRatio") },
  dapo: { ...corrections, ...clip, ...any("dualClip maxRatio") },
  reinforce: { ...corrections, ...aggregation },
  cispo: { ...corrections, ...aggregation, ...any("maxRatio minRatio") },
  sapo: { ...corrections, ...aggregation, ...any("positiveTemperature negativeTemperature") },
  gmpo: { ...corrections, ...clip },
  luspo: { ...corrections, ...clip },
  vespo: { ...corrections, ...any("positive negative") },
  magrpo: corrections,
});

const std = { std: ["sample", "population"] } as const;

const advantage = named("estimator", {
  group: { scale: ["none", "group", "batch"], ...std, epsilon: "any", epsilonForm: ["add", "clamp"] },
  rloo: {},
  raw: {},
  gpg: {},
  maremax: {},
  remax: {},
  opo: {},
  "max-rl": any("epsilon"),
  "pass-at-k": any("scaled"),
  bnpo: any("a b"),
  "reinforce++": any("baseline discount"),
  "running-baseline": any("decay"),
  decoupled: { costs: ["z-score", "centred"], ...std, epsilon: "any", batch: ["none", "sequence"] },
});

const cost = named("kind", {
  "tokens-written": any("by"),
  "tokens-read": any("by from"),
  turns: { by: "any", count: ["spoken", "all"] },
  repetition: { ...any("by n"), of: ["words", "characters"], against: ["utterance", "episode"] },
  overlong: any("by maxTokens margin"),
});

const budget: Known = {
  ...any("targetTokens learningRate initialPrice maxPrice warmupIterations warmupPrice annealIterations antiWindup"),
  ...any("truncationTolerance proportionalGain derivativeGain derivativeSmoothing"),
  unit: ["token", "budget"],
  guard: { action: ["freeze", "lower"], ...any("rewardTolerance referenceReward maxSilenceRate lowerBy") },
};

const learningRate: Known = { ...any("peak warmUpSteps finalFraction"), decay: ["constant", "linear", "cosine"] };

const train: Known = {
  ...any("seed steps problemsPerStep episodesPerProblem minibatches epochs refreshOldPolicyEvery problemPool"),
  oldLogProbs: ["recompute", "sampler"],
  sampling: any(samplingNames.filter((name) => name === "temperature" || samplingParameters[name].cuts).join(" ")),
  objective,
  advantage,
  groupBy: ["prompt", "prompt+agent", "prompt+agent+turn", "tree-node"],
  ratioUnit: ["message", "turn", "trajectory", "joint"],
  scoring: any("seconds mostUnscored"),
  limits: any("maxTurns maxTokens maxTokensPerAgent maxSeconds maxSecondsPerTurn"),
  onAgentError: ["throw", "end"],
  asynchronous: {
    ...any("activeGroups maxLag importanceCap retries"),
    stale: ["wait", "drop"],
    cutStragglers: any("afterShare seconds"),
  },
  credit: { kind: ["shared", "difference", "margin", "quality"], alpha: "any" },
  tree: { mode: ["aligned", "cross"], ...any("gamma stopAbove") },
  policies: each({ objective, advantage, learningRate, prices: "any", budget }),
  costs: each(cost),
  ...any("prices costWhenTaskAtLeast reward"),
  budget,
  budgets: each(budget),
  optimizer: { ...any("beta1 beta2 epsilon weightDecay maxGradNorm"), learningRate },
  evaluation: any("every problems transcripts language"),
  earlyStopping: any("patience minGain"),
  divergence: any("fall steps"),
  checkpoint: any("every keep"),
};

const samplers = any(
  "urls folder folderAtServers concurrency logProbs tolerance replySeconds patienceSeconds allowPlainHttp",
);

/** Of a whole configuration. What only says where something is computed or shown changes no arithmetic. */
const config: Known = {
  ...any("model bases chatTemplateArguments device workers sinks task"),
  lessons: any("name steps batch seed model form"),
  engine: {
    tinker: any("url model allowPlainHttp loraAlpha sequencesPerRequest samplesAtOnce gradientCeiling deadlineSeconds"),
  },
  sampler: { vllm: samplers, sglang: samplers },
  actor: any("model api"),
  policies: ["shared", "own"],
  lora: any("rank alpha targets dropout rankStabilized"),
  memory: { ...any("maxTokensPerMicroBatch cacheGb"), recompute: ["none", "layer"] },
  train,
};

/**
 * Refuses a run whose settings ask for something that this audit lacks: it would compute something else, and blame the run.
 * @param written - `config.json`, or the settings of a training alone
 * @throws LaconicError `config_invalid` naming the setting
 */
export function checkKnownSettings(written: Json, file: string): void {
  const stranger = written["train"] === undefined ? strangerIn(written, train, []) : strangerIn(written, config, []);
  if (stranger === null) return;
  throw new LaconicError(
    "config_invalid",
    `${file}: this audit does not know ${stranger}, so that it cannot tell whether the run is right; audit with the laconic that made the run`,
    { file, setting: stranger },
  );
}

/** The first setting that is not known, by its path, and by its value where that is what is strange. */
function strangerIn(value: unknown, known: Known, path: readonly string[]): string | null {
  if (known === "any" || value === null || value === undefined) return null;
  if (Array.isArray(known)) return known.includes(value) ? null : `${path.join(".")} ${shown(value)}`;
  // A text in place of a group names a value of the user's own.
  if (typeof value !== "object") return typeof value === "string" ? null : `${path.join(".")} ${shown(value)}`;
  const keys = typeof known === "function" ? known(value as Json) : known;
  if (keys === null) return null;
  if (keys === "any" || typeof keys === "function" || Array.isArray(keys)) return strangerIn(value, keys, path);
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, key];
    const found = Object.hasOwn(keys, key)
      ? strangerIn(inner, (keys as Readonly<Record<string, Known>>)[key] as Known, place)
      : place.join(".");
    if (found !== null) return found;
  }
  return null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
