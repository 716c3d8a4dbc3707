<?php // An identity provider in the folder FOLDER at BASE, as a university would set one up.
$config = [
    'baseurlpath' => 'BASE/',
    'certdir' => 'FOLDER/', 'loggingdir' => 'FOLDER/', 'datadir' => 'FOLDER/', 'tempdir' => 'FOLDER/temp',
    'metadatadir' => 'FOLDER/metadata/', 'attributenamemapdir' => '/usr/share/simplesamlphp/config/attributemap/',
    'technicalcontact_email' => 'na@campus.edu', 'timezone' => 'UTC',
    'secretsalt' => 'of-the-tests', 'auth.adminpassword' => 'of-the-tests',
    'showerrors' => true, 'errorreporting' => false, 'logging.level' => 7, 'logging.handler' => 'file', 'logging.logfile' => 'idp.log',
    'enable.saml20-idp' => true, 'module.enable' => ['core' => true, 'saml' => true, 'exampleauth' => true],
    'session.cookie.name' => 'idp', 'session.phpsession.cookiename' => 'idpphp', 'session.phpsession.savepath' => 'FOLDER', 'store.type' => 'phpsession',
    'session.cookie.samesite' => null, 'session.cookie.secure' => false, 'session.phpsession.httponly' => true,
    'language.available' => ['en'], 'language.default' => 'en', 'theme.use' => 'default',
    'authproc.idp' => [], 'authproc.sp' => [],
    'metadata.sources' => [['type' => 'flatfile'], ['type' => 'xml', 'file' => 'FOLDER/sp.xml']],
    'metadata.sign.enable' => false, 'trusted.url.domains' => null,
];
