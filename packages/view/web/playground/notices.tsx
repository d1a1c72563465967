import type { JSX } from "preact";
import type { SessionHandle } from "./use-session.ts";

/** What went wrong or otherwise than asked, each with a way on. */
export function Notices({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { failure, warnings, keeping, step } = session.state;
  return (
    <div class="notices" aria-live="polite">
      {failure && <FailureNotice session={session} />}
      {!keeping.isKept && keeping.words !== "" && step > 0 && <p class="notice warn">{keeping.words}</p>}
      {warnings.length > 0 && (
        <details class="notice warn">
          <summary>
            {warnings.length === 1 ? "One note" : `${warnings.length} notes`} on this run:{" "}
            <span>{warnings.at(-1)}</span>
          </summary>
          <ul>
            {warnings.map((warning, i) => (
              <li key={i} class="safe-text">
                {warning}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function FailureNotice({ session }: { readonly session: SessionHandle }): JSX.Element | null {
  const { failure, device, settings, savedStep, step } = session.state;
  if (!failure) return null;
  const isWorkerGone = failure.code === "worker_ended" || failure.code === "worker_silent";
  const lacksWasm = failure.code === "device_unavailable" && settings.device === "wasm";
  return (
    <div class="notice bad" role="alert">
      <p>
        {failure.message}
        {isWorkerGone && step > 0 && ` The run was saved at step ${savedStep}.`}
      </p>
      <p class="row">
        {isWorkerGone ? (
          <button class="button primary" type="button" onClick={session.restart}>
            {savedStep > 0 ? `Go on from step ${savedStep}` : "Start it again"}
          </button>
        ) : (
          device === null && (
            <button class="button" type="button" onClick={() => location.reload()}>
              Load the page again
            </button>
          )
        )}
        {device === null && !isWorkerGone && !lacksWasm && (
          <button class="button" type="button" onClick={() => session.replace({ ...settings, device: "wasm" })}>
            Begin a new run
          </button>
        )}
        {(device !== null || failure.code === "worker_silent") && (
          <button class="button" type="button" onClick={session.dismiss}>
            {failure.code === "worker_silent" ? "Wait" : "Close"}
          </button>
        )}
      </p>
    </div>
  );
}
