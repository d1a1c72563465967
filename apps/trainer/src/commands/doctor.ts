import { cpus, totalmem } from "node:os";
import { findPython } from "@laconic/core/platform";
import type { Gpu } from "@laconic/kernels-torch";
import { formatBytes } from "@laconic/core/text";
import { wholeNumber } from "../cli/numbers.ts";
import { command, type Command } from "../cli/command.ts";
import { spinWhile } from "../cli/progress.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import {
  automaticDevice,
  devicesFolder,
  gpusHere,
  installDevice,
  probeDevice,
  probeDevices,
  runCommand,
  type DeviceReport,
  type OptionalDevice,
} from "@laconic/runtime/devices";
import { fromText, lookAtServers, probedServer, recordLines, samplerFromText } from "@laconic/runtime";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson } from "../cli/visible-json.ts";

export const doctorCommand: Command = command({
  description: "Say what this machine can run on, and what is missing",
  args: {
    ...jsonFlag,
    enable: {
      type: "enum",
      description: "Install what this device needs, and try it; nothing is downloaded otherwise",
      options: ["tensorflow", "tensorflow-gpu", "webgpu"],
    },
    engine: {
      type: "string",
      description: "Say what a server of the Tinker protocol does, asked on small adapters of its base model",
      valueHint: "tinker:url",
    },
    sampler: {
      type: "string",
      description: "Say how servers are that a run could sample on",
      valueHint: "vllm:url,url",
    },
    vocabulary: {
      type: "string",
      description: "With --engine: size of the base model's vocabulary; found by sampling where it is left out",
      valueHint: "n",
    },
  },
  run: async ({ json, enable, engine, sampler, vocabulary }, { terminal }) => {
    if (sampler !== undefined) return lookAtSamplers(sampler, json === true, terminal);
    if (engine !== undefined) {
      const { tinker } = fromText(engine);
      const { record } = await probedServer(
        tinker,
        vocabulary === undefined ? null : wholeNumber("vocabulary", vocabulary, 2),
        terminal,
      );
      printResult(terminal, json, record, () => recordLines(record).join("\n"));
      return 0;
    }
    if (enable !== undefined) return enableDevice(enable, json === true, terminal);
    const [devices, report] = await spinWhile(terminal, "trying each device in a process of its own", () =>
      Promise.all([probeDevices(), gpusHere()]),
    );
    const works = devices.some((device) => device.works);
    const automatic = works ? await spinWhile(terminal, "choosing what auto takes", automaticDevice) : null;
    const gpus = "gpus" in report ? report.gpus : [];
    const machine = {
      node: process.version,
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
    };
    if (json) terminal.result(visibleJson({ ...machine, devices, gpus, automatic }));
    else {
      terminal.result(`node ${machine.node}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGiB} GiB`);
      for (const device of devices) terminal.result(line(device));
      for (const gpu of gpus) terminal.result(gpuLine(gpu));
      if (automatic !== null) terminal.result(`auto    ${automatic}`);
    }
    return works ? 0 : 1;
  },
});

/** Installs a device's packages into the devices folder, and multiplies two numbers on it. */
async function enableDevice(device: OptionalDevice, json: boolean, terminal: Terminal): Promise<number> {
  await installDevice(device, {
    folder: devicesFolder(),
    python: findPython(),
    run: runCommand,
    note: (step) => terminal.note(step),
  });
  const report = await probeDevice(device);
  printResult(terminal, json, report, line);
  return report.works ? 0 : 1;
}

/** Asks each server how it is; weights are probed when a run starts. */
async function lookAtSamplers(text: string, json: boolean, terminal: Terminal): Promise<number> {
  const servers = await lookAtServers(samplerFromText(text));
  if (json) terminal.result(visibleJson(servers));
  else
    for (const { kind, url, works, detail } of servers)
      terminal.result(`${works ? "ok     " : "missing"} ${kind} ${url}: ${detail}`);
  return servers.every(({ works }) => works) ? 0 : 1;
}

function line({ name, works, detail, about }: DeviceReport): string {
  return `${works ? "ok     " : "missing"} ${name}: ${detail} (${about})`;
}

function gpuLine({ index, name, memory, computeCapability }: Gpu): string {
  return `gpu     cuda:${index}: ${name}, ${formatBytes(memory)}, compute capability ${computeCapability}`;
}
