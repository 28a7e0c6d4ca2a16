/** How slowly a body may come in. */
export interface UploadPace {
  /** 0: as slowly as it likes. */
  uploadMinBytesPerSecond: number;
  uploadGraceMs: number;
}

/** How long so many bytes may take. */
export function uploadMs({ uploadMinBytesPerSecond, uploadGraceMs }: UploadPace, bytes: number): number {
  if (uploadMinBytesPerSecond === 0) return Number.POSITIVE_INFINITY;
  return uploadGraceMs + (bytes * 1000) / uploadMinBytesPerSecond;
}
