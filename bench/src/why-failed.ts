/** Why a process failed, in one line of what it wrote: the message of its last error, without stack, source line or version of Node. */
export function whyFailed(stderr: string | null): string {
  const lines = (stderr ?? "").split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !/^(?:Node\.js v|at .+[:)]|[[\]{}^~]+$)/u.test(line));
  const error = said.findLast((line) => /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)\b.*:/u.test(line));
  return error ?? said.at(-1) ?? "it said nothing";
}
