import { ownWords } from "@laconic/baselines";
import { agentPoBenchmarks, agentPoClaims, agentPoFigures, type AgentPoFigure } from "../published-agentpo.ts";
import { notPlayed, playedOn, playedOver, type LedgerRow, type Played } from "./played-on.ts";

/** Rows of AgentPO's text that are played without training, by its name of them. */
const methodOf: Readonly<Record<string, string>> = {
  "role-assignment": "role-assignment",
  evoagent: "evoagent",
  "untrained hint": "hint",
  critic: "critic",
  sc: "sc",
  debate: "debate",
  "single model": "vanilla",
  backbone: "vanilla",
};

/** AgentPO's name of a row that a method stands for with an actor; null for none. */
export function agentPoRowOf(method: string, actor: string): AgentPoFigure | null {
  return (
    agentPoFigures.find((each) => methodOf[each.method] === method && each.actor === actor && !each.samples) ?? null
  );
}

/** What of AgentPO's text can be played: its methods with any of these actors, on its five benchmarks. */
export function agentPoTable(actor: string): { readonly benchmarks: string[]; readonly methods: string[] } {
  const methods = agentPoFigures.flatMap((each) => (each.actor === actor ? (methodOf[each.method] ?? []) : []));
  return { benchmarks: [...agentPoBenchmarks], methods: [...new Set(methods)] };
}

const open = "Which table a figure stands in, seeds and sampling are not in the public text.";
const average = "average of five";

/** Every figure of AgentPO's text, then every sentence that compares without one. */
export function agentPoRows(): LedgerRow[] {
  const figures = agentPoFigures.flatMap((figure) => {
    const { method, actor, samples, average: mean, benchmarks = {}, tokens } = figure;
    const row = samples === undefined ? method : `${method}, ${samples} problems`;
    const of = (benchmark: string, text: string): LedgerRow => rowOf(row, method, actor, benchmark, text, open);
    return [
      ...(mean === undefined ? [] : [of(average, `${mean} %${gains(figure)}`)]),
      ...Object.entries(benchmarks).map(([benchmark, share]) => of(benchmark, `${share} %`)),
      ...(tokens === undefined ? [] : [of(average, `${tokens} tokens a problem`)]),
    ];
  });
  const claims = agentPoClaims.map((claim) =>
    rowOf(claim.method, claim.method, claim.actor, claim.benchmark ?? average, claim.said, claim.open),
  );
  return [...figures, ...claims];
}

/** As the text prints them: above role assignment, and above EvoAgent. */
function gains({ method, actor, average: mean = 0, samples }: AgentPoFigure): string {
  const others = ["role-assignment", "evoagent"].flatMap(
    (name) => agentPoFigures.find((each) => each.method === name && each.actor === actor)?.average ?? [],
  );
  if (method !== "agentpo" || samples !== undefined || others.length < 2) return "";
  return ` (${others.map((other) => `+${(mean - other).toFixed(1)}`).join("/")})`;
}

function rowOf(
  row: string,
  named: string,
  actor: string,
  benchmark: string,
  figure: string,
  leaves: string,
): LedgerRow {
  const method = methodOf[named];
  const base = { paper: "agentpo", place: "text", row, model: actor, figure, open: leaves } as const;
  if (method === undefined) return { ...base, ...notPlayed(benchmark, reason(named)), command: trainedBy(named) };
  const played: Played =
    benchmark === average ? playedOver(method, agentPoBenchmarks, average) : playedOn(method, benchmark);
  // What is said of Vanilla is of Agent-GSPO's row.
  const differs = method === "vanilla" ? `${ownWords} ${singleModel}` : played.differs;
  return { ...base, ...played, differs, command: `laconic reproduce agentpo --only ${method} --model ${actor}` };
}

const singleModel = "How the paper asks its single model is not in the public text.";
const peers: readonly string[] = ["SimpleRL-Zero", "Prime-Zero", "OpenReasoner-Zero"];

function reason(row: string): string {
  if (row === "before AgentPO") return "Nobody knows which row it is of.";
  return peers.includes(row)
    ? "Another's training of the actor: not here. The command trains the actor by our means."
    : "It has to be trained first.";
}

function trainedBy(row: string): string {
  if (peers.includes(row)) return "laconic train preset:actor-finetune --run runs/actor";
  if (row === "before AgentPO") return "none";
  if (row.includes(" problems"))
    return "laconic sweep preset:agentpo-hint train.problemPool=100,500,700,1000 --seeds 0-2";
  if (row.includes("debate")) return "laconic train preset:agentpo-debate --run runs/agentpo";
  if (row.includes("role assignment")) return "laconic train preset:agentpo-roles --run runs/agentpo";
  return "laconic train preset:agentpo-hint --run runs/agentpo";
}
