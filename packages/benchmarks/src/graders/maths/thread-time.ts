import { readFileSync } from "node:fs";

/**
 * Milliseconds of processor time that a thread has used, so that a busy machine takes none of a pair's time.
 * @param thread - as `/proc/thread-self` names it, or null where the system does not
 * @returns null where it cannot be told
 */
export function threadMilliseconds(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold anything
    return (Number(fields[11]) + Number(fields[12])) * 10; // utime, stime: proc_pid_stat(5), in hundredths of a second
  } catch {
    return null;
  }
}
