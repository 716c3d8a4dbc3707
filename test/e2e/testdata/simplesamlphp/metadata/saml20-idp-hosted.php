<?php
$metadata['BASE/entity'] = [
    'host' => '__DEFAULT__', 'privatekey' => 'idp.key', 'certificate' => 'idp.crt', 'auth' => 'people',
    'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    'attributes.NameFormat' => 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
    'validate.authnrequest' => true, 'redirect.sign' => true, 'redirect.validate' => true, 'saml20.sign.response' => true, 'saml20.sign.assertion' => true,
    'assertion.encryption' => true, 'sharedkey_algorithm' => 'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    'authproc' => [
        1 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid'],
        100 => ['class' => 'core:AttributeMap', 'name2oid'],
    ],
    'scope' => ['campus.edu'],
];
