import { useEffect, useRef } from "preact/hooks";

interface TabsProps {
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly current: string;
  readonly to: (key: string) => string;
  readonly label: string;
}

/** Parts of a page, each with an address of its own. */
export function Tabs({ tabs, current, to, label }: TabsProps) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone they are wider than the screen.
    const here = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (here && bar.current) bar.current.scrollLeft = here.offsetLeft - bar.current.offsetLeft - 40;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={bar}>
      {tabs.map(([key, name]) => (
        <a key={key} href={to(key)} aria-current={key === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
