import type { SampleRecord } from "@laconic/evaluation";
import type { SpendAccount } from "@laconic/openai";
import { formatDuration } from "@laconic/core/text";
import { showProgress } from "../cli/progress.ts";
import type { Terminal } from "../cli/terminal.ts";

/** A moving line on a terminal; one line in ten per cent elsewhere. */
export function progressOf(total: number, account: SpendAccount, terminal: Terminal): (record: SampleRecord) => void {
  const started = performance.now();
  let done = 0;
  let right = 0;
  let failed = 0;
  let said = 0;
  return ({ status, correct, error, benchmark, problem, method }) => {
    done++;
    if (correct === true) right++;
    if (status !== "scored") {
      failed++;
      terminal.note(`${status === "error" ? "failed" : status}: ${benchmark} ${problem} ${method}: ${error}`);
    }
    const left = ((performance.now() - started) / 1000 / done) * (total - done);
    const spent = account.spentUsd > 0 ? `  $${account.spentUsd.toFixed(4)}` : "";
    const line = `${done}/${total}  right ${((100 * right) / Math.max(1, done - failed)).toFixed(1)} %${failed > 0 ? `  failed ${failed}` : ""}${spent}  ${formatDuration(left)} left`;
    const tenth = Math.floor((10 * done) / total);
    showProgress(terminal, line, tenth > said);
    said = tenth;
  };
}
