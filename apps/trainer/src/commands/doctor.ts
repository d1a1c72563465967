import { choiceFlag, grouped, textFlag, wholeFlag } from "../cli/arguments.ts";
import { cpus, totalmem } from "node:os";
import { findPython } from "@laconic/core/platform";
import { formatBytes } from "@laconic/core/text";
import { command, type Command } from "../cli/command.ts";
import { spinWhile } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import {
  automaticDevice,
  devicesFolder,
  gpusHere,
  installDevice,
  probeDevice,
  probeDevices,
  runCommand,
  type DeviceReport,
} from "@laconic/runtime/devices";
import { fromText, lookAtServers, probedServer, recordLines, samplerFromText } from "@laconic/runtime";
import { jsonFlag } from "../cli/flags.ts";

export const doctorCommand: Command = command({
  description: "Show which devices work on this machine, and what is missing",
  examples: ["laconic doctor", "laconic doctor --enable webgpu"],
  args: {
    ...jsonFlag,
    ...grouped("Model", {
      enable: choiceFlag("Device whose packages are downloaded and tested", ["tensorflow", "tensorflow-gpu", "webgpu"]),
      vocabulary: wholeFlag(2)("Vocabulary size for --engine (default: found by sampling)", "n"),
    }),
    ...grouped("Server", {
      engine: textFlag("Tinker server to test with small adapters", "tinker:url"),
      sampler: textFlag("Sampling servers to test", "vllm:url,url"),
    }),
  },
  run: async ({ json, enable, engine, sampler, vocabulary }, { terminal }) => {
    if (sampler !== undefined) {
      const servers = await lookAtServers(samplerFromText(sampler));
      printResult(terminal, json, servers, () =>
        servers.map(({ kind, url, works, detail }) => `${mark(works)} ${kind} ${url}: ${detail}`).join("\n"),
      );
      return servers.every(({ works }) => works) ? 0 : 1;
    }
    if (engine !== undefined) {
      const { record } = await probedServer(fromText(engine).tinker, vocabulary ?? null, terminal);
      printResult(terminal, json, record, () => recordLines(record).join("\n"));
      return 0;
    }
    if (enable !== undefined) {
      await installDevice(enable, {
        folder: devicesFolder(),
        python: findPython(),
        run: runCommand,
        note: (step) => terminal.note(step),
      });
      const report = await probeDevice(enable);
      printResult(terminal, json, report, deviceLine);
      return report.works ? 0 : 1;
    }
    const [devices, report] = await spinWhile(terminal, "testing each device in a separate process", () =>
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
    printResult(terminal, json, { ...machine, devices, gpus, automatic }, () =>
      [
        `node ${machine.node}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGiB} GiB`,
        ...devices.map(deviceLine),
        ...gpus.map(
          ({ index, name, memory, computeCapability }) =>
            `gpu     cuda:${index}: ${name}, ${formatBytes(memory)}, compute capability ${computeCapability}`,
        ),
        ...(automatic === null ? [] : [`auto    ${automatic}`]),
        `next    ${adviceOf(devices, gpus.length > 0)}`,
      ].join("\n"),
    );
    return works ? 0 : 1;
  },
});

export function adviceOf(devices: readonly Pick<DeviceReport, "name" | "works">[], hasGpu: boolean): string {
  const works = (name: string): boolean => devices.some((device) => device.name === name && device.works);
  if (devices.every((device) => !device.works)) return "WebAssembly is missing: install Node 20.19 or newer";
  if (works("cuda")) return "train on the GPU: laconic plan preset:agent-gspo shows the memory of a run";
  if (hasGpu) return "to use the GPU: pip install torch (a CUDA build), then laconic doctor";
  return "train here: laconic train preset:relay-quickstart; larger models need a GPU or engine=tinker:URL";
}

function deviceLine({ name, works, detail, about }: DeviceReport): string {
  return `${mark(works)} ${name}: ${detail} (${about})`;
}

function mark(works: boolean): string {
  return works ? "ok     " : "missing";
}
