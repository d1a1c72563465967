import type { TellingEpisode, TellingReason } from "../../../src/protocol.ts";
import { counted } from "@laconic/core/text";
import { setQuery } from "../navigation.ts";

/** What the reasons are called where one chooses among them. */
const reasonNames: Readonly<Record<TellingReason, string>> = {
  saving: "Largest saving",
  failure: "A failure",
  silence: "A silence",
};

/** Why a conversation is shown, in a sentence with its figures. */
export function reasonOf({ why, episode, before }: TellingEpisode): string {
  if (why === "saving" && before)
    return `Of all problems with the same grade in the first and the last evaluation, its tokens fell most: from ${before.tokens} to ${episode.tokens}.`;
  if (why === "silence")
    return `Right, with the most silent agents: ${episode.silent.length}, in ${counted(episode.tokens, "token")}.`;
  return before?.grade === 1
    ? "Right in the first evaluation and wrong in the last one, with the fewest tokens of those."
    : "Wrong in the last evaluation, with the most tokens of those.";
}

interface TellingProps {
  readonly telling: readonly TellingEpisode[];
  /** Key of what is shown. */
  readonly chosen: string;
}

/** The most telling conversations to choose from, and the rule by which they were found. */
export function Telling({ telling, chosen }: TellingProps) {
  const shown = telling.find(({ episode }) => episode.key === chosen);
  if (telling.length === 0) return null;
  return (
    <div class="telling small">
      <div class="actions" role="group" aria-label="Most telling conversations">
        <span class="soft">Most telling:</span>
        {telling.map(({ why, episode, before }) => (
          <button
            key={why}
            type="button"
            class="button small"
            aria-pressed={episode.key === chosen}
            onClick={() => setQuery({ episode: episode.key, with: before?.key ?? "", list: "" })}
          >
            {reasonNames[why]}
          </button>
        ))}
      </div>
      {shown && <p class="soft">{reasonOf(shown)}</p>}
    </div>
  );
}
