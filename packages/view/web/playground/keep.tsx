import type { JSX } from "preact";
import { useLevelId } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";

/** The run as a folder: taken away, brought back. */
export function Keep({ session }: { readonly session: SessionHandle }): JSX.Element {
  const id = useLevelId();
  const { state, send } = session;
  const name = `${state.settings.level}-seed-${state.settings.seed}-step-${state.step}`;
  return (
    <section class="panel" aria-labelledby={id("keep-title")}>
      <h2 id={id("keep-title")}>Take it with you</h2>
      <p>{state.keeping.words}</p>
      <p class="row">
        <button
          class="button"
          type="button"
          disabled={state.device === null || state.step === 0}
          onClick={() => send({ type: "export" })}
        >
          Export the run (.zip)
        </button>
        <label class="button file">
          Open an exported run
          <input
            type="file"
            accept=".zip,application/zip"
            disabled={state.device === null}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              const read = file
                ?.arrayBuffer()
                .then((bytes) => send({ type: "import", archive: new Uint8Array(bytes) }));
              read?.catch((error: Error) => session.fail("import", `The file cannot be read: ${error.message}.`));
              currentTarget.value = "";
            }}
          />
        </label>
      </p>
      <p class="small">
        The zip is a run folder as the command line writes them. There it goes on from the step where you paused it, to
        the same bytes, and its report has every number:
      </p>
      <pre class="mono" tabIndex={0}>
        {`unzip ${name}.zip\nnpx laconic train --resume --run ${name}\nnpx laconic view report ${name}`}
      </pre>
    </section>
  );
}
