import { useEffect, useRef } from "preact/hooks";
import { keys } from "./keys.ts";

/** Keys, and how the pages are meant. */
export function Help({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal();
    else if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <table>
        <tbody>
          {keys.map(([key, does]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small soft">
        Everything that a view is set to stands in its address: a bookmark, or a link to somebody with the same folder,
        shows the same.
      </p>
      <p class="small soft">
        Characters that cannot be seen, or that would turn a line around, are shown by name, as in{" "}
        <span class="mark">RLO</span>: models write them too.
      </p>
      <button type="button" class="button primary" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
