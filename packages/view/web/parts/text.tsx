import { useState } from "preact/hooks";
import { counted } from "@laconic/core/text";
import { cutText, visibleLine, visiblePieces } from "./safe-text.ts";

/** How much of a text is shown before somebody asks for more, and how much more each time. */
const shownAtOnce = 4000;

/** What a model wrote, as text and nothing else: what cannot be seen is named, what turns lines around has no effect, the end of a long one is a click away. */
export function SafeText({ text, max = shownAtOnce }: { readonly text: string; readonly max?: number }) {
  const [limit, setLimit] = useState(max);
  const { shown, rest } = cutText(text, limit);
  return (
    <span class="safe-text" dir="auto">
      <Pieces text={shown} />
      {rest > 0 && (
        <>
          {" … "}
          <button type="button" class="button small" onClick={() => setLimit(limit * 10)}>
            Show more ({counted(rest, "character")} left)
          </button>
        </>
      )}
    </span>
  );
}

/** Plain parts and marks of a text that is short. */
export function Pieces({ text }: { readonly text: string }) {
  return (
    <>
      {visiblePieces(text).map(({ text: plain, mark }) =>
        mark === undefined ? (
          plain
        ) : (
          <span class="mark" title={`A character that is not visible: ${mark}`}>
            {mark}
          </span>
        ),
      )}
    </>
  );
}

/** One line of it, for lists and titles. */
export function SafeLine({ text, max = 200 }: { readonly text: string; readonly max?: number }) {
  return <bdi>{visibleLine(text, max)}</bdi>;
}
