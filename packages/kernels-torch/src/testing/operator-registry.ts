/**
 * How an operator comes to a device: by a kernel of the device's own, of other operators that are looked up in turn, not at all, or
 * the registry does not know it.
 */
export type OperatorPlace = "native" | "composed" | "absent" | "unknown";

/** Parts of the names of operators that the kernels ask of other devices only: MPS takes plain products in their place. */
const elsewhere = ["_flash_attention_", "for_cpu", "mkldnn::", "mm.dtype", "_fused_rms_norm_backward"];

/** Whether the kernels ask an operator of MPS. @param name - as `aten::mm.dtype` */
export function isAskedOfMps(name: string): boolean {
  return !elsewhere.some((part) => name.includes(part));
}

interface Entry {
  /** Of which overload it takes the kernels. */
  delegate: string | null;
  readonly keys: string[];
}

/**
 * Reads the registry that every wheel of PyTorch carries, `torchgen/packaged/ATen/native/native_functions.yaml`: from it the libraries'
 * tables of kernels are made, whatever system the wheel is for.
 * @param device - a dispatch key: `CPU`, `CUDA`, `MPS`
 * @returns looks up a name such as `mm.out`
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
