/** Stands for the rows that are not in the page. */
export function SpaceRow({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true">
      <td style={{ height: `${heightPx}px`, padding: 0 }} />
    </tr>
  );
}
