interface TabsProps {
  readonly tabs: readonly (readonly [key: string, name: string])[];
  readonly current: string;
  readonly to: (key: string) => string;
  readonly label: string;
}

/** Parts of a page, each with an address of its own. */
export function Tabs({ tabs, current, to, label }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([key, name]) => (
        <a key={key} href={to(key)} aria-current={key === current ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
