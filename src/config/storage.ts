import * as format from './formats.ts'
import { setting } from './parser.ts'

export const storage = {
  DATA_DIR: setting({
    format: format.text('a folder'),
    default: './data',
    help: 'Everything embedded: databases, objects, the generated secret.',
  }),
  DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    secret: true,
    help: "PostgreSQL for accounts and the status worker's state, when several instances share them. Unset: SQLite in DATA_DIR.",
  }),
  DATABASE_POOL_MAX: setting({
    format: format.wholeNumber(1, 1_000),
    default: '10',
    help: 'Maximum PostgreSQL connections of one instance; all instances together must stay below max_connections of the server.',
  }),
  S3_ENDPOINT: setting({
    format: format.httpUrl,
    default: null,
    help: 'Any S3-compatible server. Unset: a folder in DATA_DIR.',
  }),
  S3_REGION: setting({
    format: format.text(),
    default: 'us-east-1',
    help: 'The region that requests are signed for.',
  }),
  S3_ACCESS_KEY_ID: setting({
    format: format.text(),
    default: null,
    secret: true,
    help: 'The access key of the object store. Without it and its secret, requests are anonymous.',
  }),
  S3_SECRET_ACCESS_KEY: setting({
    format: format.text(),
    default: null,
    secret: true,
    help: 'Its secret.',
  }),
  S3_SESSION_TOKEN: setting({
    format: format.text(),
    default: null,
    secret: true,
    help: 'For temporary credentials.',
  }),
  S3_PATH_STYLE: setting({
    format: format.flag,
    default: 'true',
    help: 'Whether the bucket stands in the path, or (false) in the host name.',
  }),
  S3_BUCKET: setting({
    format: format.bucketName,
    default: 'images',
    help: 'The bucket that image routes serve from.',
  }),
  S3_CREATE_BUCKET: setting({
    format: format.flag,
    default: 'false',
    help: 'Creates a missing bucket as soon as the store answers; embedded, that is always done.',
  }),
  SAMPLE_IMAGES: setting({
    format: format.flag,
    default: 'true',
    help: 'Fills an empty embedded store with the sample images.',
  }),
  UPLOAD_MAX_BYTES: setting({
    format: format.wholeNumber(1, 5_368_709_120),
    default: '20971520',
    help: 'The largest upload; larger ones are answered 413.',
  }),
  CATALOGUE_REFRESH_SECONDS: setting({
    format: format.wholeNumber(1, 86_400),
    default: '60',
    help: 'How often the list of objects is compared with the store, and how long an image in memory is served before the store is asked again.',
  }),
  IMAGE_CACHE_BYTES: setting({
    format: format.wholeNumber(0, 68_719_476_736),
    default: '134217728',
    help: 'Memory for images that were asked for, of at most 8 MiB each; 0 keeps none.',
  }),
}
