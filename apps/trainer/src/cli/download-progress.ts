import { formatBytes, formatDuration } from "@laconic/core/text";
import type { StatusLine } from "./spinner.ts";

/** One moving line with the time left; nothing for files that were there, a line per tenth where nobody watches. */
export function downloadProgress(
  name: string,
  terminal: StatusLine,
): (progress: { readonly bytes: number; readonly total: number }) => void {
  let first: { readonly bytes: number; readonly at: number } | null = null;
  let tenths = 0;
  return ({ bytes, total }) => {
    if (!first) {
      first = { bytes, at: performance.now() };
      return;
    }
    const seconds = (performance.now() - first.at) / 1000;
    const left = ((total - bytes) * seconds) / Math.max(1, bytes - first.bytes);
    const share = Math.floor((100 * bytes) / total);
    const line = `${name}  ${share} %  ${formatBytes(bytes)} of ${formatBytes(total)}  ${formatDuration(left)} left`;
    if (terminal.interactive) terminal.status(line);
    else if (Math.floor(share / 10) > tenths) terminal.note(line);
    tenths = Math.max(tenths, Math.floor(share / 10));
  };
}
