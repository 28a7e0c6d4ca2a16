import { formatDateTime } from "../format/date.ts";
import { formatRelative } from "../format/relative.ts";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How long ago something was; the moment itself when one points at it. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at, ZONE)}>
      {formatRelative(at)}
    </time>
  );
}
