// Keys of the cache for what several pages load and change. Each ends the name of a place, so that all below it can be loaded again.

/** Lists of dashboards. */
export const boardsKey = (projectId: number): string => `boards/${projectId}/`;
/** A dashboard, under any filters. */
export const boardKey = (projectId: number, id: number): string => `board/${projectId}/${id}/`;
/** Lists of insights. */
export const insightsKey = (projectId: number): string => `insights/${projectId}/`;
/** An insight on its own page. */
export const insightKey = (projectId: number, shortId: string): string => `insight/${projectId}/${shortId}/`;
