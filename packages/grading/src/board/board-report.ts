import type { GradedCase } from "../graded-case.ts";
import type { NoPeer, PeerVerdicts } from "./math-verify.ts";
import { disagreementsOf, shareOf, talliesBy, tallyOf, type Judged, type Share, type Tally } from "./tally.ts";

/** What judging a board took. */
export interface BoardTime {
  readonly seconds: number;
  /** Of this process, all threads. */
  readonly processorSeconds: number;
}

/** A tally as it is told. */
export interface TallyJson {
  readonly pairs: number;
  readonly accuracy: Share;
  /** Of all pairs. */
  readonly falseAccepts: Share;
  /** Of the pairs whose label says wrong. */
  readonly falseAcceptsOfWrong: Share;
  readonly falseRejects: Share;
}

/** A case whose verdict is not its label. */
export interface DisagreementJson {
  readonly id: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly rule: string | null;
  readonly gold: string | null;
  readonly prediction: string | null;
  readonly label: boolean;
  readonly verdict: boolean;
  readonly extracted: string | null;
  readonly how: string;
  /** Math-Verify's verdict, where it was asked. */
  readonly mathVerify?: boolean | null;
}

/** All that a board shows. */
export interface BoardReport {
  readonly total: TallyJson;
  readonly kinds: Readonly<Record<string, TallyJson>>;
  readonly tags: Readonly<Record<string, TallyJson>>;
  readonly verdictsPerSecond: number;
  readonly verdictsPerProcessorSecond: number;
  readonly disagreements: readonly DisagreementJson[];
  readonly mathVerify?: NoPeer | PeerReport;
}

/** Both graders on the cases that both judge. */
export interface PeerReport {
  readonly version: string;
  readonly ours: TallyJson;
  readonly theirs: TallyJson;
  readonly theirVerdictsPerSecond: number;
  /** Cases on which Math-Verify alone is not as labelled. */
  readonly theirDisagreements: readonly DisagreementJson[];
}

/** How verdicts stand to labels: in all, by kind and by tag, with what it took. */
export function boardReport(judged: readonly Judged[], time: BoardTime, peer?: PeerVerdicts | NoPeer): BoardReport {
  const verdicts = peer && "verdicts" in peer ? peer.verdicts : undefined;
  const tell = (each: Judged): DisagreementJson => disagreementJson(each, verdicts);
  return {
    total: tallyJson(tallyOf(judged)),
    kinds: byKey(judged, ({ kind }) => [kind]),
    tags: byKey(judged, ({ tags }) => tags ?? []),
    verdictsPerSecond: Math.round(judged.length / time.seconds),
    verdictsPerProcessorSecond: Math.round(judged.length / time.processorSeconds),
    disagreements: disagreementsOf(judged).map(tell),
    ...(peer && { mathVerify: "verdicts" in peer ? peerReport(judged, peer, tell) : peer }),
  };
}

function byKey(
  judged: readonly Judged[],
  keysOf: (item: GradedCase) => readonly string[],
): Readonly<Record<string, TallyJson>> {
  return Object.fromEntries(talliesBy(judged, keysOf).map(([key, tally]) => [key, tallyJson(tally)]));
}

function tallyJson({ pairs, agree, wrong, falseAccepts, falseRejects }: Tally): TallyJson {
  return {
    pairs,
    accuracy: shareOf(agree, pairs),
    falseAccepts: shareOf(falseAccepts, pairs),
    falseAcceptsOfWrong: shareOf(falseAccepts, wrong),
    falseRejects: shareOf(falseRejects, pairs - wrong),
  };
}

function peerReport(
  judged: readonly Judged[],
  peer: PeerVerdicts,
  tell: (each: Judged) => DisagreementJson,
): PeerReport {
  const shared = judged.filter(({ item }) => peer.verdicts.has(item.id));
  const theirs = shared.map(({ item, verdict }) => ({
    item,
    verdict: { ...verdict, correct: peer.verdicts.get(item.id) ?? false },
  }));
  const ours = new Set(disagreementsOf(shared).map(({ item }) => item.id));
  return {
    version: peer.version,
    ours: tallyJson(tallyOf(shared)),
    theirs: tallyJson(tallyOf(theirs)),
    theirVerdictsPerSecond: Math.round(peer.verdicts.size / peer.seconds),
    theirDisagreements: shared
      .filter(({ item }) => !ours.has(item.id) && (peer.verdicts.get(item.id) ?? false) !== item.verdict)
      .map(tell),
  };
}

function disagreementJson(
  { item, verdict }: Judged,
  peer: ReadonlyMap<string, boolean | null> | undefined,
): DisagreementJson {
  const { id, kind, tags = [], rule = null, gold, prediction } = item;
  return {
    id,
    kind,
    tags,
    rule,
    gold,
    prediction,
    label: item.verdict === true,
    verdict: verdict.correct === true,
    extracted: verdict.extracted,
    how: verdict.rule,
    ...(peer?.has(id) && { mathVerify: peer.get(id) ?? null }),
  };
}

/** The lines that a terminal shows. */
export function boardLines(report: BoardReport): string[] {
  const { total, kinds, tags, mathVerify } = report;
  const rows = [...Object.entries(kinds), ...Object.entries(tags)].map(([name, tally]) => line(name, tally));
  return [
    `${"".padEnd(32)} pairs   as labelled, %          false accepts  false rejects`,
    line("all", total),
    ...rows,
    "",
    `${report.verdictsPerSecond} verdicts a second, ${report.verdictsPerProcessorSecond} a second of processor time`,
    ...(mathVerify === undefined ? [] : peerLines(mathVerify)),
  ];
}

function peerLines(peer: NoPeer | PeerReport): string[] {
  if ("missing" in peer)
    return ["", `no Math-Verify beside it: ${peer.missing} (LACONIC_PYTHON names a Python that has it)`];
  return [
    "",
    `beside Math-Verify ${peer.version}, where both judge:`,
    line("ours", peer.ours),
    line("Math-Verify", peer.theirs),
    `Math-Verify: ${peer.theirVerdictsPerSecond} verdicts a second`,
  ];
}

function line(name: string, { pairs, accuracy, falseAccepts, falseRejects }: TallyJson): string {
  const [low, high] = accuracy.interval.map((share) => (100 * share).toFixed(1));
  const shown = `${(100 * accuracy.share).toFixed(2)} (${low} to ${high})`;
  return `${name.padEnd(32)} ${String(pairs).padStart(5)}   ${shown.padEnd(22)} ${String(falseAccepts.count).padStart(6)}         ${String(falseRejects.count).padStart(6)}`;
}

/** A disagreement on three lines; what a reply holds is quoted, so that it cannot act on a terminal. */
export function disagreementLines({
  id,
  tags,
  rule,
  gold,
  prediction,
  label,
  verdict,
  extracted,
  how,
  mathVerify,
}: DisagreementJson): string[] {
  const peer =
    mathVerify === undefined ? "" : `; Math-Verify: ${mathVerify === null ? "none" : mathVerify ? "right" : "wrong"}`;
  return [
    `${id} [${[...tags, ...(rule === null ? [] : [`rule ${rule}`])].join(", ")}] judged ${verdict ? "right" : "wrong"}, labelled ${label ? "right" : "wrong"}${peer}`,
    `  gold ${quoted(gold)}, reply ${quoted(prediction)}`,
    `  found ${quoted(extracted)} (${how})`,
  ];
}

function quoted(text: string | null): string {
  if (text === null) return "-";
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  return shown.replaceAll(
    /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu,
    (each) => `\\u${(each.codePointAt(0) as number).toString(16).padStart(4, "0")}`,
  );
}
