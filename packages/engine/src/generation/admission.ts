import type { ModelConfig } from "../transformer/model-config.ts";
import type { CachePages, PageWant } from "./cache-pages.ts";
import type { KeptPrefix, KeptPrefixes } from "./kept-prefixes.ts";
import { minShared, wantsOf, type PrefillQueue } from "./prefill-queue.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";
import { contentOf, roomFor, type Reply } from "./reply.ts";

/** Replies whose prompts go on from the same place. */
export interface PromptGroup {
  readonly replies: readonly Reply[];
  readonly nodes: readonly PromptNode[];
  /** The positions that all of them begin with; nothing by default. */
  readonly start?: { readonly of: KeptPrefix; readonly length: number };
}

/** Replies that may be let in together, and what that takes. */
export interface Admission {
  readonly replies: readonly Reply[];
  readonly groups: readonly PromptGroup[];
  readonly wants: readonly PageWant[];
  readonly prefixes: readonly KeptPrefix[];
}

/** The first of those that wait for whom there is room, some at a time; null when there is none. */
export function admissible(
  config: ModelConfig,
  pages: CachePages,
  kept: KeptPrefixes,
  waiting: readonly Reply[],
  active: number,
): Admission | null {
  const first = (count: number): Admission => planAdmission(config, pages, kept, waiting.slice(0, count), active);
  let found: Admission | null = null;
  for (let count = 1; ; count *= 2) {
    const tried = first(count);
    const others = kept.all.filter((prefix) => !tried.prefixes.includes(prefix));
    if (!pages.fits(tried.wants, others)) break;
    found = tried;
    if (tried.replies.length === waiting.length) break;
  }
  if (found || active > 0) return found;
  // A first request gets in whatever it takes; what others left behind must not make it larger.
  kept.clear();
  pages.free();
  return first(1);
}

/** Gives up as many kept prefixes as it takes, the oldest first, but those that somebody goes on from. */
export function freeFor({ prefixes, wants }: Admission, pages: CachePages, kept: KeptPrefixes): void {
  for (const prefix of kept.all.filter((each) => !prefixes.includes(each))) {
    if (pages.fits(wants)) break;
    kept.remove(prefix);
    pages.release(prefix);
  }
  for (const prefix of prefixes) kept.remove(prefix);
}

/** Fills the room that the replies got with what they go on from, and queues the rest of their prompts. */
export function enter({ groups, prefixes }: Admission, pages: CachePages, prefill: PrefillQueue): void {
  for (const { nodes, replies, start } of groups) {
    const owners = nodes.map(({ row }) => replies[row] as Reply);
    // Where a prefix was taken over it has no pages any more.
    const source = start && start.of.pages.length === 0 ? (owners[0] as Reply) : start?.of;
    if (start && source)
      pages.copyRest(
        source,
        owners.filter((reply) => reply !== source),
        start.length,
      );
    prefill.add(nodes, replies);
  }
  for (const prefix of prefixes) pages.release(prefix);
}

function planAdmission(
  config: ModelConfig,
  pages: CachePages,
  kept: KeptPrefixes,
  replies: readonly Reply[],
  active: number,
): Admission {
  const starts = new Map<KeptPrefix, { readonly replies: Reply[]; length: number }>();
  const fresh: Reply[] = [];
  for (const reply of replies) {
    const found = reply.request.conversation === undefined ? null : kept.longest(reply.request);
    if (!found || found.length < minShared) {
      fresh.push(reply);
      continue;
    }
    const start = starts.get(found.prefix) ?? { replies: [], length: Infinity };
    start.replies.push(reply);
    start.length = Math.min(start.length, found.length);
    starts.set(found.prefix, start);
  }
  const groups: PromptGroup[] = Array.from(starts, ([of, { replies: members, length }]) => ({
    replies: members,
    nodes: promptTree(members.map(contentOf), minShared, length),
    start: { of, length },
  }));
  if (fresh.length > 0) groups.push({ replies: fresh, nodes: promptTree(fresh.map(contentOf), minShared) });
  const positions = (reply: Reply): number =>
    pages.firstPositions(contentOf(reply).length, roomFor(config, reply.request), active + replies.length);
  return {
    replies,
    groups,
    wants: groups.flatMap((group) => wantsOf(group.nodes, group.replies, positions, group.start)),
    prefixes: [...starts.keys()],
  };
}
