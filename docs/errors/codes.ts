import type { LaconicErrorCode } from "../../packages/core/src/errors.ts";

/** What stands on the page of an error code. Pages are written from it: `npx vitest run test/error-pages -u`. */
export interface ErrorPage {
  /** In plain words, in one line. */
  readonly title: string;
  readonly means: string;
  /** Words of the message, as the code says them (`…` is what varies), and what to do. */
  readonly causes: readonly (readonly [seen: string, remedy: string])[];
  readonly more?: string;
}

const guide = "[Questions and troubleshooting](../faq.md)";

export const errorPages: Readonly<Record<LaconicErrorCode, ErrorPage>> = {
  config_invalid: {
    title: "A setting is wrong",
    means:
      "A setting is unknown, out of range, of no effect, or a known trap. Nothing has started. The message names the key, the value that was found and what is allowed.",
    causes: [
      ["there is no such setting; …did you mean …", "Take the name that is proposed, or one of those that are listed."],
      ["needs hub: …", "A part that the setting relies on was not given: give it, or leave the setting out."],
      ["there is no method …; …known: …", "A name of a method, preset or protocol is misspelt: take a known one."],
    ],
    more: "`--dry-run` shows the resolved configuration and stops. Every setting and its default: [Papers](../papers.md); values of your own: [Your own values](../own-values.md).",
  },
  objective_refused: {
    title: "These settings are another algorithm",
    means:
      "An objective and a setting beside it make another algorithm than the one that was named, or count something twice. Training would run and be something else.",
    causes: [
      ["importance would count twice", "Leave `importance` out: the objective's detached weight is one already."],
      [
        "weights sequences by length, which is another algorithm",
        "Take the objective that is meant: `luspo` weights by length, `gspo` does not.",
      ],
      [
        "recompute oldLogProbs, or leave importance out",
        "Both log-probs are the same values: one of the two settings has to go.",
      ],
    ],
    more: "Which equation each objective is: [Papers](../papers.md).",
  },
  input_invalid: {
    title: "A function was called with a value that breaks its contract",
    means:
      "A value does not have the shape, range or order that the function's page says. It is thrown to the code that calls Laconic; the command line meets it only where a file of yours does.",
    causes: [
      ["is outside the vocabulary of …", "Token ids are of another tokenizer than the model's."],
      [
        "leaves no room for a reply",
        "The prompt is as long as the model's context: shorten it, or take a model that holds more.",
      ],
      [
        "the token gradient has … values, expected …",
        "A ragged array has another number of tokens than its log-probs: build both from the same sequences.",
      ],
      [
        "is not in the script; add a reply for it",
        "A scripted model of a test was called more often than it has replies.",
      ],
    ],
    more: "Shapes, units and invariants: [Units](../units.md).",
  },
  reward_invalid: {
    title: "A reward is not a number",
    means:
      "A reward, a cost or an advantage is not a finite number, or a term stands where nothing can use it. The message names the problem and the term.",
    causes: [
      [
        "it must be a number …or NaN where it does not apply",
        "Return a number for every episode; `NaN` says that a term does not apply to it.",
      ],
      [
        "set groupBy to prompt+agent",
        "The reward gives single agents terms of their own: compare agents with themselves.",
      ],
      [
        "is a term of the reward and a cost; rename one of them",
        "Two things have one name in the metrics: rename yours.",
      ],
    ],
    more: "A reward of your own, from the file to the bench: [Your own task](../your-own-task.md).",
  },
  scoring_failed: {
    title: "Too few samples got a score",
    means:
      "Of the samples of a step or an evaluation more than the allowed share have no score: the judge fails, hangs, or gives no valid one. What was trained before is kept.",
    causes: [
      [
        "samples got no score",
        "Mend the grader or judge, then continue with `--resume`. `scoring.mostUnscored` is the share that is allowed.",
      ],
      [
        "ended with an agent's error, none has an answer",
        "Look at the error in `laconic view` or `zcat episodes.jsonl.gz`: most often a server or a key.",
      ],
      [
        "cannot learn on …gets no verdict",
        "A method that is calibrated first needs graded answers: check the benchmark's programs or sandbox.",
      ],
    ],
  },
  numeric_invalid: {
    title: "NaN or infinity",
    means: "A number that has to be finite is not. The place is named: sequence, token, cost or step.",
    causes: [
      [
        "is not a finite number",
        "A log-prob, weight or gradient left the range of floats: lower the learning rate, and see `log_ratio_abs_max` for when it began.",
      ],
      [
        "what it is divided by is too close to 0",
        'All rewards of a group are the same: `advantage.scale: "none"`, or an epsilon.',
      ],
      [
        "the ceiling is …continue from a checkpoint",
        "The server stepped on a gradient above `gradientCeiling`: resume, with a lower rate.",
      ],
    ],
    more:
      "A single step whose gradient is not finite is left out and counted as `actor/skipped_steps`; see " + guide + ".",
  },
  training_diverged: {
    title: "training broke the policy",
    means:
      "The mean grade of the last steps has lost at least half of its best, and the policy has broken since: its entropy or a step's KL divergence by a nat a token and more. Or no gradient was finite any more.",
    causes: [
      [
        "training diverged and was stopped",
        "Train again with a lower learning rate (`optimizer.learningRate.peak`); the message names the best checkpoint, which `laconic eval RUN --best` reads and `model` takes.",
      ],
    ],
    more: "`train.divergence` sets how much has to be lost, and over how many steps; `null` lets a run continue.",
  },
  topology_invalid: {
    title: "This communication graph cannot run",
    means: "Who speaks to whom does not add up: a cycle within a round, agents of one name, an edge to nobody.",
    causes: [
      [
        "form the cycle …make one of them temporal",
        "Within a round messages go one way: an edge back belongs to the next round (`temporal`).",
      ],
      ["needs agents with different names", "Give each agent an id of its own."],
      ["holds no topologies", "A mixture needs at least one topology to draw."],
    ],
    more: "`laconic topology show NAME` draws a graph.",
  },
  reply_malformed: {
    title: "A server's reply breaks its protocol",
    means:
      "A server answered with something else than its protocol says: fields are missing, tokens and log-probs differ in number, or the reply is too large. The request is asked again where that helps; this is what was left.",
    causes: [
      ["a reply of more than … bytes", "The address is most likely not that of an API: check the URL."],
      [
        "the reply at …",
        "A field is not as expected: compare the server's version with the one that the page of its package names.",
      ],
      [
        "output_ids are not those of the log-probs",
        "The server drops a stop token from one of the two: update it, or leave stop tokens out.",
      ],
    ],
  },
  budget_refused: {
    title: "A spend cap would be broken",
    means:
      "The next call may cost more than what is left of the cap in dollars, or the account is spent. Finished answers are kept.",
    causes: [
      [
        "is spent and … set aside of …",
        "Raise the cap, or resume with a new one: what was paid for is not asked again.",
      ],
      ["which is not known; give `price`", "A cap needs the price of a token: give `price`."],
      ["the account is spent", "The provider says that there is no money left: top it up, then resume."],
    ],
    more: "This is the budget in money of API calls. The budget of tokens of a team in training never refuses; it moves a price: [Concepts](../concepts.md#the-price-of-a-token).",
  },
  model_unsupported: {
    title: "This model cannot be used",
    means:
      "The architecture, or a feature of the checkpoint, is not one that the engine reads. Nothing was loaded in part.",
    causes: [
      [
        "config.json: … is …",
        "`model_type` or a setting is of another architecture. Known are Llama, Qwen2 and Qwen3, Mistral, and llama2.c files.",
      ],
      ["is a quantised checkpoint of llama2.c", "Export it in float32, as the message says."],
      ["the server has no …", "Ask for one of the models that the server lists."],
      ["names a token that ends a reply", "The tokenizer does not say how a reply ends: add `eos_token`."],
    ],
  },
  weights_invalid: {
    title: "A weight file is damaged or of another model",
    means: "A file of weights is cut off, malformed, or holds tensors of other names or shapes than the model.",
    causes: [
      ["does not belong to this adapter", "The adapter was made for other target modules or another base model."],
      ["is in another file too", "Two shards hold the same tensor: download the checkpoint again."],
      ["the step count is missing", "The file is no optimiser state of Laconic's."],
      ["weight_map is malformed", "`model.safetensors.index.json` is damaged: download it again."],
    ],
  },
  device_unavailable: {
    title: "A device cannot be used here",
    means: "The device that was asked for, or a library that it needs, is not on this machine, or another version.",
    causes: [
      ["they need …SIMD", "This Node is too old for the device: `wasm` needs 20, `wasm-fma` needs 22."],
      [
        "memory that threads share, which this page may not have",
        "In a browser: send the two headers that are named, or take one worker.",
      ],
      ["WebGPU could not open a device", "No usable graphics adapter: `laconic doctor` says what was found."],
    ],
    more: "`laconic doctor` lists what works here, `laconic doctor --enable NAME` installs a device. " + guide + ".",
  },
  device_out_of_memory: {
    title: "Out of memory",
    means:
      "The device has not enough memory for what was asked. Nothing was changed: the same step can be tried again with less.",
    causes: [
      [
        "more than the device has left",
        "Shorter replies, `memory.maxTokensPerMicroBatch` lower, `memory.recompute=layer`, an adapter (`lora`), or a smaller model.",
      ],
      ["would be alive, the limit is …", "A limit that the program set was reached: raise it, or as above."],
      ["WebGPU: …", "The browser's or adapter's limit for a buffer: a smaller model or shorter replies."],
    ],
    more: "`laconic plan CONFIG` says the memory of a run before it starts, per device, with and without LoRA.",
  },
  engine_failed: {
    title: "The engine stopped",
    means:
      "A worker of the engine or of a grader ended, or was asked after it was closed. The last checkpoint is whole.",
    causes: [
      [
        "the engine's worker exited with code …",
        "Most often the system ended it for its memory (the kernel's log says so): see [out of memory](./device_out_of_memory.md). Resume from the last checkpoint.",
      ],
      ["does not exist or was disposed", "The program uses a model or snapshot that it has given back."],
      [
        "a thread of the wasm kernels …",
        "A thread that shares a kernel's work failed, or did not finish its part in ten minutes. Resume; `wasmKernels({ threads: 1 })` starts none.",
      ],
      ["failed in PyTorch: …", "The line is PyTorch's. `laconic doctor` runs the same kernels alone."],
    ],
  },
  data_invalid: {
    title: "A data file is missing, changed or unreadable",
    means:
      "A file is not there, is not the one that is known by its hash, or a row of it cannot be read. File and row are named.",
    causes: [
      [
        "there is no such file",
        "Paths are relative to the file that names them; on the command line, to the working directory.",
      ],
      [
        "what is learned on measures nothing",
        'A question stands in training and test rows: take it out, or `mode: "lenient"`.',
      ],
      ["leaves nothing to …", "Too few different questions for the share: give a file for each part."],
      [
        "expected an array of rows or a row on each line",
        "The file is one JSON object: write JSON lines, or an array.",
      ],
    ],
    more: "[Your own data](../own-data.md); `laconic data check` compares benchmark files with their hashes.",
  },
  hub_unavailable: {
    title: "The hub could not be reached",
    means:
      "The hub of models and data sets refused, or could not be reached. What is in the cache already still works.",
    causes: [
      ["cannot be used: …", "Network, proxy (`HTTPS_PROXY`), or a key that is needed for a gated model (`HF_TOKEN`)."],
    ],
    more: "With `HF_HUB_OFFLINE=1` nothing is asked, and what is missing is named. The cache is that of Python's `huggingface_hub`.",
  },
  api_refused: {
    title: "An API refused the request",
    means: "Key, model or a parameter is not accepted. Asking again does not help, and it was not asked again.",
    causes: [
      ["which is not followed", "The server redirects to another address: give that one, if it is trusted."],
      [
        "does not take …adapters",
        "The sampler loads whole weights only, or adapters only: start it with the other option. [Sampling on servers](../samplers.md).",
      ],
    ],
    more: "`status` in the error's detail is the HTTP status: 401 and 403 are the key, 404 the model or path, 400 and 422 a parameter.",
  },
  api_unavailable: {
    title: "An API did not answer",
    means:
      "An API did not answer in time, or not usefully, however often it was asked. It may work later: a bench continues with `--resume`.",
    causes: [
      [
        "no answer after … attempts",
        "The last reason stands in brackets: busy (429, 503), a broken connection, or a proxy.",
      ],
      ["no answer within … ms", "Raise the deadline, or ask for shorter replies."],
      [
        "no server of the fleet worked for …",
        "All samplers are down: start one; the run waits and then ends by this name.",
      ],
      [
        "the server has forgotten request …",
        "The training server was restarted: `laconic train --resume`. [Faults](../scale/faults.md).",
      ],
    ],
  },
  sandbox_unsafe: {
    title: "The sandbox is not safe: nothing is run",
    means:
      "A sandbox's parts are not the known ones, or its self-test got out. No program is run until that is mended.",
    causes: [
      ["is not the known interpreter", "The WebAssembly file of Python was changed: install the package again."],
      [
        "sandbox let through: …",
        "The self-test reached what is named: on bubblewrap, the kernel or container allows more than it should. Take the `wasi` sandbox.",
      ],
    ],
  },
  checkpoint_missing: {
    title: "A checkpoint or model folder is not there",
    means: "A folder has no weights that are read, or a file of the hub is not in the cache.",
    causes: [
      ["expected a Hugging Face model folder", "Name the folder that holds `config.json` and `model.safetensors`."],
      [
        "save it again with safe_serialization=True",
        "Pickled weights are programs that loading runs, so they are not read: convert them, as the message says.",
      ],
      ["is not in the cache; download it once without offline", "Run once with a network."],
    ],
  },
  checkpoint_corrupt: {
    title: "A checkpoint is damaged",
    means:
      "A file has not the content that its hash says. Where an earlier checkpoint is whole, it is taken instead, and a warning says so.",
    causes: [
      [
        "no checkpoint in … is whole",
        "None of the kept checkpoints can be read. Start a new run; `checkpoint.keep` keeps more of them.",
      ],
      ["what was served has …", "A proxy or mirror changed the download: try again, or take another endpoint."],
      [
        "is no reference to a saved model",
        "The file of a run on a training server is damaged: resume from the checkpoint before.",
      ],
    ],
  },
  checkpoint_mismatch: {
    title: "The run was started with something else",
    means:
      "A run resumes under the configuration, weights, tokenizer, data and values it was started with. What differs is named, with what it was and is.",
    causes: [
      [
        "when the run started and is …; bring it back",
        "Bring the setting or file back, or start a new run. Only `train.steps` may change: that extends a run.",
      ],
      [
        "belongs to another run, of other settings, weights or data",
        "A checkpoint of another run was copied into this folder.",
      ],
      ["is not JSON any more: ", "A file of the run was edited or cut off."],
    ],
    more: "Copies of your own files are in the run's `sources/`. [Opened again](../own-values.md#opened-again).",
  },
  run_exists: {
    title: "The folder holds a run already",
    means:
      "A run directory is never overwritten. A run that was refused, or ended before its first step, is no obstacle.",
    causes: [
      ["choose another directory, or resume it", "Another `--run`, or `--resume`."],
      ["continue with --resume, or choose another --run", "The same for a bench."],
    ],
  },
  run_missing: {
    title: "There is no run in the folder",
    means: "The folder was named as a run, and holds none, or not the part that the command reads.",
    causes: [
      ["holds no run to resume", "Check the path; without `--resume` a new run starts."],
      ["name the folder that a run was written to", "A run's folder holds `config.json`, not its parent."],
      ["there are no recorded episodes at …", "The run has not reached an evaluation yet."],
    ],
  },
  run_unwritable: {
    title: "A file cannot be written",
    means: "The disk is full, the folder is read-only, or belongs to somebody else. What was saved before is whole.",
    causes: [
      [
        "what was saved before is whole: mend the cause and resume, or start again …",
        "Make room, or give the right to write; then `--resume`. A run without a checkpoint starts again.",
      ],
      ["cannot be written: …", "The same while weights or the hub's cache are written."],
    ],
  },
  run_locked: {
    title: "Another process has the folder",
    means: "A run directory has one writer. A lock that a dead process of this machine left is taken over.",
    causes: [
      [
        "stop it, or remove … if it is gone",
        "If the process was on another machine and is gone, remove the `LOCK` file that is named.",
      ],
    ],
  },
  aborted: {
    title: "Stopped on request",
    means:
      "An `AbortSignal` fired, or the command was interrupted. One Ctrl-C finishes the step and saves; a second one stops at once.",
    causes: [
      ["was aborted", "Nothing is wrong. `--resume` continues."],
      ["stopped", "The same while a file is read."],
    ],
    more: "What is lost after a kill: " + guide + ".",
  },
};
