import { useState } from "preact/hooks";
import { noteLimits, type Notes, type RunNote } from "../../src/protocol.ts";
import type { ViewError } from "../../src/requests.ts";
import { Button } from "../parts/elements.tsx";
import { SafeLine, SafeText } from "../parts/text.tsx";
import { linkTo } from "./navigation.ts";
import { Problem } from "./parts.tsx";
import { patch, put, useLoaded } from "./server.ts";

const empty: RunNote = { note: "", tags: [] };
const noNotes: Notes["byRun"] = {};

/** None in exported pages. */
export function useNotes(): Notes["byRun"] {
  return useLoaded<Notes>("/notes").value?.byRun ?? noNotes;
}

export function Tags({ note: { tags } = empty }: { note: RunNote | undefined }) {
  return (
    <>
      {tags.map((tag) => (
        <a key={tag} class="badge" href={linkTo(["runs"], { text: [`#${tag}`] })}>
          #<SafeLine text={tag} max={noteLimits.tag} />
        </a>
      ))}
    </>
  );
}

/** The form needs a server that stores notes. */
export function RunNotes({ run }: { run: string }) {
  const notes = useLoaded<Notes>("/notes").value;
  const [draft, setDraft] = useState<RunNote | null>(null);
  const [error, setError] = useState<ViewError | null>(null);
  const note = notes?.byRun[run] ?? empty;
  if (!notes?.canWrite) return null;
  if (draft === null)
    return (
      <section class="line heading" aria-label="Note and tags">
        <Tags note={note} />
        {note.note !== "" && <SafeText text={note.note} max={600} />}
        <Button kind="small" onClick={() => setDraft(note)}>
          {note.note === "" && note.tags.length === 0 ? "Add a note" : "Edit the note"}
        </Button>
      </section>
    );
  const save = async (): Promise<void> => {
    try {
      const stored = await put<Notes>(`/notes/${encodeURIComponent(run)}`, draft);
      patch<Notes>("/notes", () => stored);
      setDraft(null);
    } catch (failure) {
      setError(failure as ViewError);
    }
  };
  return (
    <form
      class="toolbar panel note-form"
      aria-label="Note and tags"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label class="wide">
        <span>Note</span>
        <textarea
          class="input"
          rows={4}
          maxLength={noteLimits.note}
          value={draft.note}
          onInput={({ currentTarget }) => setDraft({ ...draft, note: currentTarget.value })}
        />
      </label>
      <label class="wide">
        <span>Tags, separated by commas</span>
        <input
          class="input"
          value={draft.tags.join(", ")}
          onChange={({ currentTarget }) => setDraft({ ...draft, tags: tagsIn(currentTarget.value) })}
        />
      </label>
      <Button type="submit" kind="primary">
        Save
      </Button>
      <Button onClick={() => setDraft(null)}>Cancel</Button>
      {error && <Problem error={error} />}
    </form>
  );
}

function tagsIn(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim().replace(/^#/u, "").slice(0, noteLimits.tag));
  return [...new Set(tags)].filter((tag) => tag !== "").slice(0, noteLimits.tags);
}
