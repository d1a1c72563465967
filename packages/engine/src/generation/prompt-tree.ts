/** Tokens shared by several prompts, in the pages of the first. */
export interface PromptNode {
  readonly tokens: readonly number[];
  readonly past: number;
  readonly row: number;
  readonly children: readonly PromptNode[];
  /** Prompts that end here. */
  readonly ends: readonly number[];
}

/**
 * Groups prompts by shared prefixes. Prefixes below `minShared` are shared only by identical prompts, because a level
 * costs a pass.
 * @param cached - length of the computed common prefix
 */
export function promptTree(prompts: readonly (readonly number[])[], minShared: number, cached = 0): PromptNode[] {
  const rows = prompts
    .map((_, row) => row)
    .toSorted((a, b) => compare(prompts[a] as number[], prompts[b] as number[]) || a - b);
  return build(rows, cached);

  function build(sorted: readonly number[], past: number): PromptNode[] {
    const nodes: PromptNode[] = [];
    let start = 0;
    while (start < sorted.length) {
      const first = prompts[sorted[start]!]!;
      let end = start + 1;
      let shared = first.length;
      while (end < sorted.length) {
        const next = prompts[sorted[end]!]!;
        const common = commonPrefix(first, next);
        const identical = common === first.length && common === next.length;
        if (!identical && common - past < minShared) break;
        shared = Math.min(shared, common);
        end += 1;
      }
      const members = sorted.slice(start, end);
      const ends = members.filter((row) => prompts[row]!.length === shared);
      const longer = members.filter((row) => prompts[row]!.length > shared);
      nodes.push({
        tokens: first.slice(past, shared),
        past,
        row: members[0]!,
        children: build(longer, shared),
        ends,
      });
      start = end;
    }
    return nodes;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const common = commonPrefix(a, b);
  return (a[common] ?? -1) - (b[common] ?? -1);
}

export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a[i] === b[i]) i++;
  return i;
}
