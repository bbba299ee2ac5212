/** The libraries that the page loads as plain scripts. */
declare const echarts: typeof import('echarts');
declare const graphqlSse: typeof import('graphql-sse');
