/** Implementation of an operator: native kernel, composition of other operators, none, or not in the registry. */
export type OperatorPlace = "native" | "composed" | "absent" | "unknown";

/** Operators not used on MPS, by parts of their names. */
const elsewhere = ["_flash_attention_", "for_cpu", "mkldnn::", "mm.dtype", "_fused_rms_norm_backward"];

/** @param name - such as `aten::mm.dtype` */
export function isAskedOfMps(name: string): boolean {
  return !elsewhere.some((part) => name.includes(part));
}

interface Entry {
  /** Overload whose kernels this one uses. */
  delegate: string | null;
  readonly keys: string[];
}

/**
 * Parses `torchgen/packaged/ATen/native/native_functions.yaml`, from which every PyTorch wheel's kernel tables are
 * generated, for all systems.
 * @param device - a dispatch key: `CPU`, `CUDA`, `MPS`
 * @returns a lookup by names such as `mm.out`
 */
export function operatorRegistry(text: string, device: string): (name: string) => OperatorPlace {
  const entries = new Map<string, Entry>();
  let current: Entry | null = null;
  let inDispatch = false;
  for (const line of text.split("\n")) {
    const func = /^- func: ([\w.]+)\(/u.exec(line);
    const field = /^ {2}(\w+):\s*(\S*)/u.exec(line);
    if (func) {
      current = { delegate: null, keys: [] };
      entries.set(func[1] as string, current);
      inDispatch = false;
    } else if (field) {
      inDispatch = field[1] === "dispatch";
      if (current && field[1] === "structured_delegate") current.delegate = field[2] as string;
    } else if (current && inDispatch) {
      const keys = /^ {4}([\w, ]+):/u.exec(line)?.[1] ?? "";
      current.keys.push(...keys.split(",").map((key) => key.trim()));
    }
  }
  const placeOf = (name: string): OperatorPlace => {
    const entry = entries.get(name);
    if (!entry) return "unknown";
    if (entry.delegate !== null) return placeOf(entry.delegate);
    if (entry.keys.includes(device)) return "native";
    return entry.keys.length === 0 || entry.keys.some((key) => key.startsWith("Composite")) ? "composed" : "absent";
  };
  return placeOf;
}
