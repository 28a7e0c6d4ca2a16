import { formatAgo, formatDateTime } from "../format/ago.ts";

/** How long ago something was; the moment itself when one points at it. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  );
}
