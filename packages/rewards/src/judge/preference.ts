import { configError } from "@laconic/core";
import { wilsonInterval } from "@laconic/core/numeric";
import { inOrder } from "./agreement.ts";
import { charactersOf, judgeAsker, type JudgeSettings, type Verdict } from "./ask-judge.ts";
import { codeFor, judgeMessages, type Judged } from "./fence.ts";

/** Answers to compare. */
export interface AnswerPair extends Judged {
  readonly a: string;
  readonly b: string;
}

/** Preferred answer. */
export interface Preference {
  readonly winner: "a" | "b" | "tie";
  /** The same position in both orders: a sign of bias. */
  readonly byPlace: boolean;
}

/** Compares answers. */
export interface PreferenceJudge {
  prefer(pair: AnswerPair, signal?: AbortSignal): Promise<Verdict<Preference>>;
}

/** Settings with a criterion. */
export interface PreferenceOptions extends JudgeSettings {
  readonly criterion: string;
}

type Place = "FIRST" | "SECOND" | "TIE";

/**
 * Creates a judge of pairs that asks in both orders. An answer wins with one win and no loss; equal texts tie without a
 * request.
 * @throws LaconicError `config_invalid`
 */
export function createPreference(options: PreferenceOptions): PreferenceJudge {
  const { criterion } = options;
  if (criterion.trim() === "") throw configError("criterion: the text is empty");
  const most = charactersOf(options);
  const ask = judgeAsker<Place>(options);
  const inPlaces = (
    judged: Judged,
    first: string,
    second: string,
    signal: AbortSignal | undefined,
  ): Promise<Verdict<Place>> => {
    const { question, reference } = judged;
    const code = codeFor([question, reference ?? "", first, second, criterion]);
    const form = `${code} better: FIRST, SECOND or TIE`;
    const asked = [
      `Which answer is better by this: ${criterion}\nTheir order means nothing.`,
      `End with this line, one of the three words after the colon:\n${form}`,
    ];
    return ask(
      {
        key: JSON.stringify([question, reference ?? null, first, second]),
        messages: judgeMessages(code, judged, { FIRST: first, SECOND: second }, asked, most),
        form,
        read: (reply) => placeIn(reply, code),
      },
      signal,
    );
  };
  return {
    async prefer({ a, b, ...judged }, signal) {
      if (a === b) return { status: "judged", value: { winner: "tie", byPlace: false } };
      const [one, other] = await Promise.all([inPlaces(judged, a, b, signal), inPlaces(judged, b, a, signal)]);
      if (one.status === "undecided") return one;
      if (other.status === "undecided") return other;
      const forA = pointOf(one.value) - pointOf(other.value);
      const byPlace = one.value !== "TIE" && one.value === other.value;
      return { status: "judged", value: { winner: forA > 0 ? "a" : forA < 0 ? "b" : "tie", byPlace } };
    },
  };
}

const pointOf = (location: Place) => (location === "FIRST" ? 1 : location === "SECOND" ? -1 : 0);

function placeIn(reply: string, code: string): Place | null {
  const lines = reply.matchAll(new RegExp(`^[ \\t*]*${code} better: *(FIRST|SECOND|TIE)[ \\t*.]*$`, "gmu"));
  const set = new Set([...lines].map((match) => match[1] as Place));
  return set.size === 1 ? ([...set][0] ?? null) : null;
}

/** Win rate with its counts. */
export interface WinRate {
  readonly pairs: number;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Ties by position. */
  readonly byPlace: number;
  readonly undecided: number;
  /** (Wins + ties / 2) / judged pairs with Wilson's interval; null without pairs. */
  readonly rate: { readonly value: number; readonly low: number; readonly high: number } | null;
}

/**
 * Win rate of `a`, with `atOnce` concurrent pairs.
 * @throws LaconicError `config_invalid`
 */
export async function winRate(
  judge: PreferenceJudge,
  pairs: readonly AnswerPair[],
  { atOnce = 8, onPair }: { readonly atOnce?: number; readonly onPair?: (verdict: Verdict<Preference>) => void } = {},
): Promise<WinRate> {
  const verdicts = await inOrder(pairs, atOnce, async (pair) => {
    const verdict = await judge.prefer(pair);
    onPair?.(verdict);
    return verdict;
  });
  const judged = verdicts.flatMap((verdict) => (verdict.status === "judged" ? [verdict.value] : []));
  const count = (winner: Preference["winner"]) => judged.filter((preference) => preference.winner === winner).length;
  const [wins, losses, ties, n] = [count("a"), count("b"), count("tie"), judged.length];
  const [low, high] = wilsonInterval(wins + ties / 2, n);
  return {
    pairs: pairs.length,
    wins,
    losses,
    ties,
    undecided: pairs.length - n,
    byPlace: judged.filter((preference) => preference.byPlace).length,
    rate: n === 0 ? null : { value: (wins + ties / 2) / n, low, high },
  };
}
