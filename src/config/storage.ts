import * as format from './formats.ts'
import { setting } from './parser.ts'

export const storage = {
  DATA_DIR: setting({
    format: format.text('a folder'),
    default: './data',
    help: 'Folder for all embedded data: databases, images, the generated secret.',
  }),
  DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    secret: true,
    help: "PostgreSQL for accounts and the status worker's state, shared by all instances. Unset: SQLite in DATA_DIR.",
  }),
  DATABASE_POOL_MAX: setting({
    format: format.wholeNumber(1, 1_000),
    default: '10',
    help: 'Maximum PostgreSQL connections per instance; without REDIS_URL, one of them carries messages about changed images. All instances together must stay below max_connections of the server.',
  }),
  S3_ENDPOINT: setting({
    format: format.httpUrl,
    default: null,
    help: 'URL of an S3-compatible object store. Unset: a folder in DATA_DIR.',
  }),
  S3_REGION: setting({ format: format.text(), default: 'us-east-1', help: 'Region used to sign requests.' }),
  S3_ACCESS_KEY_ID: format.secretText(
    'Access key ID of the object store. If both keys are unset, requests are anonymous.',
  ),
  S3_SECRET_ACCESS_KEY: format.secretText('Secret access key of the object store.'),
  S3_SESSION_TOKEN: format.secretText('Session token of temporary credentials.'),
  S3_PATH_STYLE: setting({
    format: format.flag,
    default: 'true',
    help: 'Use path-style URLs. With false, the bucket is in the host name.',
  }),
  S3_BUCKET: setting({ format: format.bucketName, default: 'images', help: 'Bucket that holds the images.' }),
  S3_CREATE_BUCKET: setting({
    format: format.flag,
    default: 'false',
    help: 'Create the bucket if it is missing. The embedded store always creates it.',
  }),
  SAMPLE_IMAGES: setting({
    format: format.flag,
    default: 'true',
    help: 'Fill an empty embedded store with sample images.',
  }),
  IMAGE_KINDS_EXTRA: setting({
    format: format.extraKinds,
    default: null,
    help: 'Additional kinds of images, such as cat,wallpaper. Objects of a removed kind stay in the store.',
  }),
  UPLOAD_MAX_BYTES: setting({
    format: format.wholeNumber(1, 5_368_709_120),
    default: '20971520',
    help: 'Maximum size of an upload; larger ones get a 413.',
  }),
  CHOOSE_IMAGES_ONLY: setting({
    format: format.flag,
    default: 'false',
    help: 'Leave objects that are not images out of the pool: by their first bytes, or because their stored type is not image/*. Their URLs stay valid. The instances and the CLI need the same value.',
  }),
  UPLOAD_CHECK_TYPE: setting({
    format: format.flag,
    default: 'false',
    help: 'Refuse an upload whose first bytes do not match its Content-Type, before anything is stored.',
  }),
  UPLOAD_STRIP_METADATA: setting({
    format: format.flag,
    default: 'false',
    help: 'Remove EXIF (with GPS), XMP, IPTC, comments and thumbnails from uploaded JPEG, PNG and WebP images. Orientation and colour profile are kept.',
  }),
  CATALOGUE_REFRESH_SECONDS: setting({
    format: format.wholeNumber(1, 86_400),
    default: '60',
    help: 'How often the catalogue is compared with the object store, and how long a cached image is served before it is revalidated.',
  }),
  IMAGE_DETAILS_KEEP_DAYS: setting({
    format: format.wholeNumber(1, 36_500),
    default: '7',
    help: 'How long the details of an image are kept that others have deleted: since then it must be missing in every complete listing of the store. A failed listing, and one without any image of the kind, does not count.',
  }),
  IMAGE_CACHE_BYTES: setting({
    format: format.wholeNumber(0, 68_719_476_736),
    default: '134217728',
    help: 'Maximum memory for cached images of up to 8 MiB each; 0 disables the cache.',
  }),
  IMAGE_SIZES: setting({
    format: format.flag,
    default: 'true',
    help: 'Serve images at other widths and in other formats (w and format). With false, or where sharp is not installed, both are ignored.',
  }),
  IMAGE_WIDTHS: setting({
    format: format.widths,
    default: '160,320,640,960,1280,1920',
    help: 'Widths that images are served at. Others are rounded up to the next, or down to the largest.',
  }),
  IMAGE_SIZES_MAX_BYTES: setting({
    format: format.wholeNumber(0, 1_099_511_627_776),
    default: '1073741824',
    help: 'Maximum size of DATA_DIR/sizes, which keeps resized images; those not used for longest are deleted. 0: none is kept on disk.',
  }),
}
