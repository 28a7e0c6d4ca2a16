/** Paths to which events are sent, and what they have in common. */
interface CapturePaths {
  paths: readonly string[];
  /** Old libraries wrap the text in base64 once more. */
  isLegacyPath: boolean;
  /** What an event without a name is called. */
  defaultName: string | null;
  /** Takes bodies as large as batches may be. */
  isBatch?: true;
  /** Old libraries send `?data=` with GET; the documented paths take POST alone. */
  methods: readonly ("POST" | "GET")[];
}

export const PATHS: readonly CapturePaths[] = [
  { paths: ["/batch"], isLegacyPath: false, defaultName: null, isBatch: true, methods: ["POST"] },
  { paths: ["/capture"], isLegacyPath: true, defaultName: null, methods: ["POST"] },
  { paths: ["/i/v0/e"], isLegacyPath: false, defaultName: null, methods: ["GET", "POST"] },
  { paths: ["/e", "/track"], isLegacyPath: true, defaultName: null, methods: ["GET", "POST"] },
  { paths: ["/engage"], isLegacyPath: true, defaultName: "$identify", methods: ["GET", "POST"] },
];
export const V1_PATH = "/i/v1/analytics/events";
