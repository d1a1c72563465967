import type { EpisodeSummary } from "../../../src/protocol.ts";
import { counted, formatNumber } from "@laconic/core/text";
import { visibleLine } from "../../parts/safe-text.ts";
import { SafeLine } from "../../parts/text.tsx";
import { Grade } from "./grade.tsx";

/** A conversation in the list. */
export function EpisodeRow({ row }: { readonly row: EpisodeSummary }) {
  return (
    <>
      <div class="line">
        <Grade grade={row.grade} />
        <span class="soft small">
          step {formatNumber(row.step)}, {row.kind}
        </span>
        <span class="number small">{counted(row.tokens, "token")}</span>
      </div>
      <div class="question">
        <SafeLine text={row.question} />
      </div>
      <div class="answer soft small">
        {row.answer === null ? "no answer" : <SafeLine text={row.answer} max={80} />}
        {row.opponent !== null && <> · opponent {visibleLine(row.opponent, 24)}</>}
        {row.silent.length > 0 && <> · silent: {row.silent.map((agent) => visibleLine(agent, 24)).join(", ")}</>}
      </div>
    </>
  );
}
