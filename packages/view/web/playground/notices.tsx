import { Button } from "../parts/elements.tsx";
import type { SessionHandle } from "./use-session.ts";

export function Notices({ session }: { session: SessionHandle }) {
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

function FailureNotice({ session: { state, restart, replace, dismiss } }: { session: SessionHandle }) {
  const { failure, device, settings, savedStep, step } = state;
  if (!failure) return null;
  const isWorkerGone = failure.code === "worker_ended" || failure.code === "worker_silent";
  const lacksWasm = failure.code === "device_unavailable" && settings.device === "wasm";
  return (
    <div class="notice bad" role="alert">
      <p>
        {failure.message}
        {isWorkerGone && step > 0 && ` The run was saved at step ${savedStep}.`}
      </p>
      <p class="line">
        {isWorkerGone && (
          <Button kind="primary" onClick={restart}>
            {savedStep > 0 ? `Go on from step ${savedStep}` : "Start it again"}
          </Button>
        )}
        {device === null && !isWorkerGone && <Button onClick={() => location.reload()}>Load the page again</Button>}
        {device === null && !isWorkerGone && !lacksWasm && (
          <Button onClick={() => replace({ ...settings, device: "wasm" })}>Begin a new run</Button>
        )}
        {(device !== null || failure.code === "worker_silent") && (
          <Button onClick={dismiss}>{failure.code === "worker_silent" ? "Wait" : "Close"}</Button>
        )}
      </p>
    </div>
  );
}
