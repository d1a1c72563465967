import { formatCount } from "@laconic/core/text";
import { stages, type Contradiction } from "./findings.ts";
import type { VerifyReport } from "./verify-run.ts";

/** Max listed contradictions; `--json` has all. */
const shown = 20;

const verdicts: Readonly<Record<VerifyReport["verdict"], string>> = {
  agrees: "the folder agrees with itself",
  partial: "OK as far as covered: the files match the run's settings",
  contradicts: "the folder contradicts itself; the first contradiction usually causes those after it",
};

/** Formats a report as text. */
export function verifyText(report: VerifyReport): string {
  const { steps, compared, contradictions, contradictionsTotal, notCovered, verdict } = report;
  const counts = stages.map(
    (stage) => `  ${stage.padEnd(10)} ${formatCount(compared[stage] ?? 0).padStart(11)} values`,
  );
  return [
    `recorded steps: ${formatCount(steps)}; compared:`,
    ...counts,
    ...notCovered.map(({ name, why }) => `not covered: ${plain(name)} (${plain(why, 400)})`),
    ...contradictions.slice(0, shown).map((contradiction) => `contradiction: ${contradictionText(contradiction)}`),
    ...(contradictionsTotal > shown ? [`and ${contradictionsTotal - shown} more (--json lists them)`] : []),
    verdicts[verdict],
  ].join("\n");
}

/** `step 3, policy policy, episode 5, agent solver, turn 3: advantage: advantage is -0.5, expected 0.5`. */
function contradictionText({ stage, key, expected, found, ...place }: Contradiction): string {
  const where = Object.entries(place)
    .map(([name, value]) => `${name === "optimizerStep" ? "optimizer step" : name} ${plain(value)}, `)
    .join("");
  return `${where}${stage}: ${plain(key)} is ${plain(found)}, expected ${plain(expected)}`;
}

function plain(value: unknown, most = 80): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const safe = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  return safe.length > most ? `${safe.slice(0, most)}...` : safe;
}
