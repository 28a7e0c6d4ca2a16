/** Something goes on. What it is stands beside it, or in `label`. */
export function Spinner({ label }: { label?: string }) {
  if (label === undefined) return <span class="spinner" aria-hidden="true" />;
  return (
    <span role="status" class="spinner-line">
      <span class="spinner" aria-hidden="true" />
      {label}
    </span>
  );
}

/** How much of something is done; `ratio` null: nobody knows yet. */
export function Progress({ label, ratio }: { label: string; ratio: number | null }) {
  const value = ratio === null ? undefined : Math.round(Math.min(1, Math.max(0, ratio)) * 100);
  return <progress class="progress" aria-label={label} max={100} value={value} />;
}
