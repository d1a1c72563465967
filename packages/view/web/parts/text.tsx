import { useState } from "preact/hooks";
import { counted } from "@laconic/core/text";
import { cutText } from "../../src/data/texts.ts";
import { visibleLine, visiblePieces } from "./safe-text.ts";

const shownAtOnce = 4000;

/** Untrusted text: invisible characters are named, direction marks have no effect, long texts expand on click. */
export function SafeText({ text, max = shownAtOnce }: { text: string; max?: number }) {
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

export function Pieces({ text }: { text: string }) {
  return (
    <>
      {visiblePieces(text).map(({ text: plain, mark }) =>
        mark === undefined ? (
          plain
        ) : (
          <span class="mark warn" title={`Invisible character ${mark}`}>
            {mark}
          </span>
        ),
      )}
    </>
  );
}

export function SafeLine({ text, max = 200 }: { text: string; max?: number }) {
  return <bdi>{visibleLine(text, max)}</bdi>;
}
