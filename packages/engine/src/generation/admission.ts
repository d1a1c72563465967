import type { ModelConfig } from "../transformer/model-config.ts";
import type { CachePages, PageWant } from "./cache-pages.ts";
import type { KeptPrefix, KeptPrefixes } from "./kept-prefixes.ts";
import { minShared, wantsOf } from "./prefill-queue.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";
import { contentOf, roomFor, type Reply } from "./reply.ts";

/** Replies whose prompts go on from the same place. */
export interface PromptGroup {
  readonly replies: readonly Reply[];
  readonly nodes: readonly PromptNode[];
  /** The positions that all of them begin with; nothing unless told. */
  readonly start?: { readonly of: KeptPrefix; readonly length: number };
}

/** Replies that may be let in together, and what that takes. */
export interface Admission {
  readonly replies: readonly Reply[];
  readonly groups: readonly PromptGroup[];
  readonly wants: readonly PageWant[];
  /** Kept prefixes that some go on from. */
  readonly prefixes: readonly KeptPrefix[];
}

/** Finds for each reply what it can go on from: a kept prefix of its conversation, and the prompts of the others. */
export function planAdmission(
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
