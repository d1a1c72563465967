/**
 * Two writers with a policy each, where the second one keeps close to what the first one would have written: a KL term to a peer.
 *
 *     npm run -s laconic -- train examples/peer-kl.ts
 *     npm run -s laconic -- train examples/peer-kl.ts train.policies.second.objective.kl.coefficient=1
 */
import { relayWriters } from "@laconic/tasks/presets";
import { defineRun, type RunDefinition } from "laconic";

const run: RunDefinition = defineRun({
  ...relayWriters,
  train: {
    ...relayWriters.train,
    policies: {
      second: {
        // `old`: as the first one was when the step began; `now` would be after its own update.
        objective: {
          name: "magrpo",
          kl: { estimator: "k3", coefficient: 0.1, to: { policy: "first", at: "old" } },
        },
      },
    },
  },
});
export default run;
