import { Button, Panel } from "../parts/elements.tsx";
import type { SessionHandle } from "./use-session.ts";

export function Keep({ session: { state, send } }: { session: SessionHandle }) {
  const name = `${state.settings.level}-seed-${state.settings.seed}-step-${state.step}`;
  return (
    <Panel title="Export">
      <p>The run exists only in this tab. Export it before you leave.</p>
      <Button disabled={state.device === null || state.step === 0} onClick={() => send({ type: "export" })}>
        Export the run (.zip)
      </Button>
      <p class="small">The zip contains a run folder. The command line resumes it to equal bytes:</p>
      <pre class="mono" tabIndex={0}>
        {`unzip ${name}.zip\nnpx @laconic/cli train --resume --run ${name}\nnpx @laconic/cli view report ${name}`}
      </pre>
    </Panel>
  );
}
