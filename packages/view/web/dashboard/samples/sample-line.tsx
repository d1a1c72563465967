import type { SampleRow, SampleVerdict } from "../../../src/protocol.ts";
import { counted, formatDuration, formatPercent, formatUsd } from "@laconic/core/text";
import { SafeLine } from "../../parts/text.tsx";

const signs: Readonly<Record<SampleVerdict, readonly [sign: string, tone: string]>> = {
  right: ["✓", "good"],
  wrong: ["✗", "bad"],
  failed: ["!", "warn"],
  undecided: ["?", "warn"],
};

/** What became of a sample, as a sign, a word and a colour. */
export function Verdict({ verdict }: { readonly verdict: SampleVerdict }) {
  const [sign, tone] = signs[verdict];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {verdict}
    </span>
  );
}

/** A sample in the list. */
export function SampleLine({ row }: { readonly row: SampleRow }) {
  const [tokens, ...figures] = figuresOf(row);
  return (
    <>
      <div class="line">
        <Verdict verdict={row.verdict} />
        {row.score !== null && <span class="small number">F1 {formatPercent(row.score)}</span>}
        <b class="small method">
          <SafeLine text={row.method} max={40} />
        </b>
        <span class="soft small">
          <SafeLine text={row.benchmark} max={30} />
          {row.repeat > 0 && `, repeat ${row.repeat + 1}`}
        </span>
        <span class="number small soft">
          {tokens}
          <span class="figures"> · {figures.join(" · ")}</span>
        </span>
      </div>
      <div class="question">
        <SafeLine text={row.question === "" ? row.problem : row.question} />
      </div>
      <div class="answer soft small">
        {row.extracted === null ? "no answer" : <SafeLine text={row.extracted} max={60} />}
        {row.gold !== "" && (
          <>
            {" "}
            · gold <SafeLine text={row.gold} max={40} />
          </>
        )}
      </div>
    </>
  );
}

/** "812 tokens", "4 calls", "$0.0012", "3.2 s". */
export function figuresOf({ tokens, calls, usd, seconds }: SampleRow): readonly string[] {
  return [
    counted(tokens, "token"),
    counted(calls, "call"),
    ...(usd === null ? [] : [formatUsd(usd)]),
    formatDuration(seconds),
  ];
}
