import { joinedSize, matrixSize, type KernelFamily } from "@laconic/engine/kernels";
import { Arena, stretches } from "../arena.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchTensor } from "../tensors.ts";
import type { TorchDevice } from "../torch-device.ts";

export function pieceKernels(device: TorchDevice): KernelFamily<"pieces"> {
  const { torch, store } = device;
  return {
    together(shapes, precision = "working") {
      return Arena.places(torch, shapes, device.type(precision)).map((placement, i) => {
        const shape = shapes[i]!;
        const handle = torch.run(() => torch.view(placement.arena.whole, shape, undefined, placement.start));
        const piece = store.adoptFloats(handle, shape, precision);
        piece.placement = placement;
        return piece;
      });
    },
    assign(into, from) {
      torch.run(() => {
        const pairs = into.map((tensor, i) => [device.vector(tensor), device.vector(from[i]!)]);
        const filled = pairs.filter(([target]) => (target?.length ?? 0) > 0);
        for (const { view } of stretches(torch, filled)) torch.copyInto(view(0), view(1));
        for (const tensor of into) store.changed(store.get(tensor));
      });
    },
    columns(x, start, count) {
      const [rows] = matrixSize(x);
      const { handle, stride } = device.rows(x);
      const torchTensor = store.get(x);
      const { matrix, start: before } = torchTensor.columnsOf ?? { matrix: torchTensor, start: 0 };
      const part = store.view(torchTensor, `columns ${start} ${count}`, () =>
        torch.view(handle, [rows, count], [stride, 1], start),
      );
      return store.adoptColumns(
        part,
        [rows, count],
        { matrix, start: before + start, stride },
        torchTensor.precision,
        torchTensor,
      );
    },
    joinColumns(parts) {
      const shape = joinedSize(parts);
      const torchTensors = parts.map((part) => store.get(part));
      const [first] = torchTensors as [TorchTensor];
      const { precision } = first;
      const location = first.columnsOf;
      if (location && areNeighbours(torchTensors)) {
        const { stride } = device.rows(first);
        const { base } = first;
        const join = (): Handle => torch.view(first.handle, shape, [stride, 1]);
        const whole = base ? store.view(base, `joined ${location.start} ${shape[1]}`, join) : torch.run(join);
        return store.adoptColumns(whole, shape, { ...location, stride }, precision, base);
      }
      const [rows, width] = shape;
      if (!device.writesInPlace(rows * width))
        return device.make(
          shape,
          () =>
            torch.cat(
              torchTensors.map(({ handle }) => handle),
              1,
            ),
          precision,
        );
      const fill = (whole: TorchTensor): void => {
        let end = 0;
        for (const part of torchTensors) {
          const [start, count] = [end, part.shape[1]!];
          end += count;
          if (count === 0) continue;
          const into = store.view(whole, `columns ${start} ${count}`, () =>
            torch.view(whole.handle, [rows, count], [width, 1], start),
          );
          torch.copyInto(into, part.handle);
        }
      };
      return store.refill(shape, device.type(precision), fill, precision);
    },
  };
}

function areNeighbours(parts: readonly TorchTensor[]): boolean {
  const [first] = parts;
  let start = first?.columnsOf?.start ?? 0;
  return parts.every(({ columnsOf, shape }) => {
    const fits = columnsOf?.matrix === first?.columnsOf?.matrix && columnsOf?.start === start;
    start += shape[1]!;
    return fits;
  });
}
